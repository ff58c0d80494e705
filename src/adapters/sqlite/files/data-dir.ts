/** The folder of the files, held by one process: a lock that the system takes back when the process ends, however it ends. */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface FolderLock {
  /** False once its file was removed or replaced: another process may then have the folder, too. */
  isHeld(): boolean
  release(): void
}

/**
 * Makes the folder if need be, and holds it.
 * @throws Error naming it when it cannot be written to, or when another process has it
 */
export function holdDataDir(folder: string): FolderLock {
  makeFolder(resolve(folder))
  return lockDataDir(folder)
}

function makeFolder(folder: string): void {
  // Not `recursive`: where a system has made-up folders (/proc), Node then tries for ever.
  const missing: string[] = []
  for (let one = folder; !existsSync(one) && one !== dirname(one); one = dirname(one)) missing.unshift(one)
  const probe = join(folder, '.writable')
  try {
    for (const one of missing) makeUnlessThere(one)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    // A full disk passes: until then what is there can be read.
    if (code === 'ENOSPC' || code === 'EDQUOT') return
    throw new Error(`the folder ${folder} cannot be written to (${message})`, { cause: error })
  }
}

/** Another process may make it at this moment. */
function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** @throws Error when another process has it */
export function lockDataDir(folder: string): FolderLock {
  const path = join(folder, 'lock.db')
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS lock (held INTEGER); COMMIT; BEGIN EXCLUSIVE',
    )
  } catch (error) {
    db?.close()
    const { message } = error as Error
    if (/locked|busy/.test(message))
      throw new Error(`another process has the data folder ${folder} open`, { cause: error })
    throw new Error(
      `${path} cannot be used (${message}). It holds no data: delete it when no service runs on this folder`,
      { cause: error },
    )
  }
  const held = inodeOf(path)
  return { isHeld: () => [held, undefined].includes(inodeOf(path)), release: () => db.close() }
}

/** 0 where there is no file; a disk that cannot say has not lost it. */
function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 0 : undefined
  }
}
