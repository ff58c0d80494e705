/**
 * Everything of a store that cannot be built from something else, in one folder, while the service runs: the events, the
 * keys that secrets are sealed with, the outbox of webhooks, the inbox of integrations, timers, and uploaded files.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backupEventFile, copyDatabase } from './backup-event-file.ts'
import { COMPANY_KEYS, describeFiles, FILES, KEYS, MANIFEST, newManifest, type Manifest } from './manifest.ts'
import { sync } from '../../src/adapters/sqlite/files/sync.ts'

const OUTBOX = 'webhooks.db'
const INBOX = 'inbox.db'
const TIMERS = 'timers.db'

/**
 * The manifest is written last: a folder without one is not a backup.
 * @throws Error when there is no event file, when the target is not empty, or when a copy is damaged
 */
export async function backupStore(dataDir: string, target: string): Promise<Manifest> {
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Error(`${target} is not empty; a backup never overwrites`)
  if (!existsSync(join(dataDir, 'events.db')))
    throw new Error(
      `there is no event file in ${dataDir}; where a server keeps the events, back them up by its own means (docs/durability.md)`,
    )
  mkdirSync(target, { recursive: true, mode: 0o700 })
  const names = ['events.db']
  // Before the events: what the outbox has sent, the inbox has applied and timers have done, they hold. So all go on where they were, and
  // repeat rather than leave out.
  for (const name of [OUTBOX, INBOX, TIMERS])
    if (existsSync(join(dataDir, name))) {
      await copyDatabase(name, dataDir, target)
      names.push(name)
    }
  const events = await backupEventFile(dataDir, target)
  // After the events, which hold nothing that was sealed by a later key.
  if (existsSync(join(dataDir, KEYS))) {
    writeFileSync(join(target, KEYS), '', { mode: 0o600 })
    copyFileSync(join(dataDir, KEYS), join(target, KEYS))
    sync(join(target, KEYS))
    names.push(KEYS)
  }
  if (existsSync(join(dataDir, COMPANY_KEYS))) {
    await copyDatabase(COMPANY_KEYS, dataDir, target)
    names.push(COMPANY_KEYS)
  }
  // After the events, too: what they name is there before them.
  const uploads = uploadsIn(dataDir)
  for (const name of uploads) {
    mkdirSync(dirname(join(target, name)), { recursive: true, mode: 0o700 })
    copyFileSync(join(dataDir, name), join(target, name))
    sync(join(target, name))
    names.push(name)
  }
  const has = (name: string) => (names.includes(name) ? 'included' : 'missing')
  const manifest = newManifest({
    CreatedAt: new Date().toISOString(),
    ...(events.log !== undefined && { Log: events.log }),
    Events: { Count: events.events, Head: events.head },
    Keys: has(KEYS),
    CompanyKeys: has(COMPANY_KEYS),
    Outbox: has(OUTBOX),
    Uploads: uploads.length,
    Files: await describeFiles(target, names),
  })
  writeManifest(target, manifest)
  return manifest
}

/** Names of all uploaded files; not what was begun only. */
function uploadsIn(dataDir: string): string[] {
  const folder = join(dataDir, FILES)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((company) => !company.startsWith('.'))
    .flatMap((company) => readdirSync(join(folder, company)).map((name) => `${FILES}/${company}/${name}`))
}

function writeManifest(target: string, manifest: Manifest): void {
  const path = join(target, MANIFEST)
  writeFileSync(`${path}.partial`, `${JSON.stringify(manifest, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  renameSync(`${path}.partial`, path)
  sync(target)
}
