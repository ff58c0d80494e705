/** The file `secrets.key` in the data folder: the master keys of secrets where no setting has them. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sync } from '../files/sync.ts'
import { secretKeys } from '../../../domain/secret-keys.ts'

const KEY_BYTES = 32

const masterKeyFile = (folder: string): string => join(folder, 'secrets.key')

/** One key a line, newest first; undefined where there is no file. @throws Error when it does not hold keys */
export function readMasterKeys(folder: string): readonly Uint8Array[] | undefined {
  const path = masterKeyFile(folder)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  try {
    return secretKeys(text.trim())
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** The keys of the file, which is made where there is none. */
export function masterKeysOfFolder(folder: string): readonly Uint8Array[] {
  const kept = readMasterKeys(folder)
  if (kept) return kept
  mkdirSync(folder, { recursive: true })
  makeFile(masterKeyFile(folder))
  return readMasterKeys(folder)!
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written whole beside its place and then put there, never over another: secrets must not outlive their key. */
function makeFile(path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  sync(dirname(path))
}

/** As `identity/secrets/secrets.ts` wants it. */
export const masterKeysIn = (folder: string) => ({
  path: masterKeyFile(folder),
  read: () => readMasterKeys(folder),
  make: () => masterKeysOfFolder(folder),
})
