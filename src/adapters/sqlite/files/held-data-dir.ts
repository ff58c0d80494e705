/** DATA_DIR, held by this process for as long as it needs it, and looked after meanwhile. */
import { messageOf } from '../../../domain/errors.ts'
import { holdDataDir, type FolderLock } from './data-dir.ts'

export interface DataDir {
  /** Makes the folder if need be, and this process its only one. @throws Error when another process has it */
  hold(): void
  release(): void
}

/** How often it is looked at whether the folder is still held, in ms. */
const HELD_MS = 1_000

/** @param onFatal the folder is not this process's own any more */
export function heldDataDir(folder: string, onFatal: (reason: string) => void): DataDir {
  let lock: FolderLock | undefined
  let watching: NodeJS.Timeout | undefined
  const look = () => {
    if (lock?.isHeld()) return
    clearInterval(watching)
    onFatal(`lock.db in ${folder} was removed or replaced: another process may write there, too`)
  }
  return {
    hold() {
      try {
        lock ??= holdDataDir(folder)
        watching ??= setInterval(look, HELD_MS).unref()
      } catch (error) {
        throw new Error(`DATA_DIR: ${messageOf(error)}`, {
          cause: error,
        })
      }
    },
    release() {
      clearInterval(watching)
      lock?.release()
      lock = undefined
    },
  }
}
