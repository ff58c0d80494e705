/**
 * Are the read models of a stopped service what its events say? Built anew from the events and compared.
 *
 * The folder itself is only read. What was kept is first brought up to the last event, as the next start would: a
 * service may be stopped before its projections have arrived.
 */
import { copyFileSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readModelPath } from '../../src/adapters/sqlite/read-models/generation.ts'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'
import { describeLast } from '../../src/projections/log-state.ts'
import type { SourceData } from '../../src/compose/source.ts'
import type { LastEvent } from '../../src/ports/projection-store.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { buildReadModels } from './build-read-models.ts'
import { checkEventFile } from './check-event-file.ts'
import { compareFiles, type TableReport } from './compare-files.ts'
import { followReadModels } from './follow-read-models.ts'
import { countEvents, openLog, type Log } from './log.ts'

export interface Verification {
  readonly events: number
  readonly tables: readonly TableReport[]
  /** Every difference, with its table; empty when nothing diverges. */
  readonly differences: readonly string[]
}

export interface DataDirOf extends SourceData {
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
}

/**
 * @throws Error when the folder is in use, has no event file or no read models of these definitions, or when the
 * event file itself is damaged
 */
export async function verifyDataDir({
  dataDir,
  definitions,
  eventStoreUrl,
}: DataDirOf): Promise<Verification> {
  const models = readModelPath(dataDir, definitions)
  const log = await openLog({ dataDir, eventStoreUrl })
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  let unlock = () => {}
  try {
    if (!existsSync(models))
      throw new Error(`${dataDir} has no read models of these definitions (${basename(models)})`)
    unlock = lockDataDir(dataDir).release
    const folders = ['kept', 'rebuilt'].map((name) => join(scratch, name)) as [string, string]
    for (const folder of folders) {
      mkdirSync(folder)
      if (eventStoreUrl === undefined) copyDatabase(join(dataDir, 'events.db'), folder)
    }
    copyDatabase(models, folders[0])
    const ofEvents = eventStoreUrl === undefined ? checkEventFile(join(folders[1], 'events.db')) : []
    await requireSameLog(join(folders[0], basename(models)), log)
    const head = await log.head()
    const files = (await Promise.all(
      folders.map((folder) => buildReadModels({ dataDir: folder, definitions, eventStoreUrl, head })),
    )) as [string, string]
    // Others may write to a server all the time, and one of the two have seen more of it.
    const end = await log.head()
    for (const path of files) {
      const followed = followReadModels({ path, definitions, log })
      await followed.bringTo(end).finally(followed.close)
    }
    return verificationOf(await countEvents(log, end), [...ofEvents, ...compareFiles(...files)])
  } finally {
    unlock()
    await log.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

export function verificationOf(events: number, tables: readonly TableReport[]): Verification {
  const differences = tables.flatMap(({ table, differences: found }) =>
    found.map((line) => `${table}: ${line}`),
  )
  return { events, tables, differences }
}

/** The file and its write-ahead log; the index of the log is made anew from it. */
function copyDatabase(path: string, folder: string): void {
  for (const suffix of ['', '-wal'])
    if (existsSync(path + suffix))
      copyFileSync(path + suffix, join(folder, basename(path) + suffix), constants.COPYFILE_FICLONE)
}

/** Read models of another log would be rebuilt by the next start; to compare them says nothing. */
async function requireSameLog(path: string, log: Log): Promise<void> {
  const db = new DatabaseSync(path)
  try {
    const lasts = db.prepare('SELECT last FROM projections WHERE last IS NOT NULL').all()
    const stray = await log.strayOf(lasts.map(({ last }) => JSON.parse(String(last)) as LastEvent))
    if (stray)
      throw new Error(
        `the read models are of another log: ${describeLast(stray)}. The next start rebuilds them`,
      )
  } finally {
    db.close()
  }
}
