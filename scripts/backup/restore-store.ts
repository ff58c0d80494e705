/** A backup, put into a folder that the service then starts on. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  checkedManifest,
  COMPANY_KEYS,
  describeFiles,
  KEYS,
  MANIFEST,
  type BackedUpFile,
  type Manifest,
} from './manifest.ts'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'
import { sync } from '../../src/adapters/sqlite/files/sync.ts'

export interface RestoreOptions {
  /** Goes on where the backup has no keys, or leaves those out that it has. */
  readonly withoutKeys: boolean
  /** The service that is to run on the folder has its keys in SECRETS_KEYS. */
  readonly keysAreSet: boolean
}

/** What nobody can open without the keys. */
export const LOST_WITHOUT_KEYS =
  'Without the keys the following is lost: the secrets of all webhooks (deliveries fail until each webhook is given a new ' +
  'secret by POST /api/v1/webhooks/{key}/rotate-secret), all sessions (everybody logs in again), and the tokens of change feeds ' +
  '(clients begin again from the start).'

/**
 * Checks everything before it writes anything. The events come last: a folder that was left halfway holds no store.
 * @throws Error when the backup is damaged, when the target is not empty, or when keys are missing
 */
export async function restoreStore(
  backup: string,
  target: string,
  { withoutKeys, keysAreSet }: RestoreOptions,
): Promise<Manifest> {
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Error(`${target} is not empty; a restore never overwrites`)
  const manifest = await checkedManifest(backup)
  if (manifest.Keys === 'missing' && !withoutKeys && !keysAreSet)
    throw new Error(
      `the backup has no ${KEYS}. If the service had its keys in SECRETS_KEYS, set it here as well; otherwise add ` +
        `--without-keys. ${LOST_WITHOUT_KEYS}`,
    )
  if (manifest.CompanyKeys === 'missing' && !withoutKeys)
    throw new Error(
      `the backup has no ${COMPANY_KEYS}: values of unique fields have to be claimed again. Add --without-keys. ${LOST_WITHOUT_KEYS}`,
    )
  const left = withoutKeys ? [KEYS, COMPANY_KEYS] : []
  const wanted = manifest.Files.filter(({ Name }) => !left.includes(Name))
  const inOrder = wanted.toSorted((a, b) => Number(a.Name === 'events.db') - Number(b.Name === 'events.db'))
  mkdirSync(target, { recursive: true, mode: 0o770 })
  const { release } = lockDataDir(target)
  try {
    for (const file of inOrder) await copyChecked(file, backup, target)
  } finally {
    release()
  }
  return manifest
}

async function copyChecked(file: BackedUpFile, backup: string, target: string): Promise<void> {
  const partial = `${file.Name}.partial`
  mkdirSync(dirname(join(target, partial)), { recursive: true, mode: 0o770 })
  copyFileSync(join(backup, file.Name), join(target, partial))
  sync(join(target, partial))
  const [copied] = await describeFiles(target, [partial])
  if (copied?.Sha256 !== file.Sha256) {
    rmSync(join(target, partial))
    throw new Error(`${file.Name} could not be copied: the copy differs from what ${MANIFEST} says`)
  }
  renameSync(join(target, partial), join(target, file.Name))
  sync(dirname(join(target, file.Name)))
  sync(target)
}
