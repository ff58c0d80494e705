/**
 * Has a file written to the disk while it grows, so that little is left for the end, and nobody else's fsync stands behind
 * gigabytes.
 */
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'

export interface FlushAside {
  /** Begins to write what there is, unless that is under way; it goes on while this thread computes. */
  flush(): void
  /** All of the file is on the disk. @throws Error when the disk refuses, or has refused before */
  settle(): void
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>
}

export function flushAside(path: string): FlushAside {
  const file = openSync(path, 'r+')
  let flushing: Promise<void> | undefined
  /** A disk that has refused may say yes to the next fsync, of pages that are no longer there. */
  let refused: Error | undefined
  const settle = () => {
    if (refused) throw refused
    fsyncSync(file)
  }
  return {
    flush() {
      flushing ??= new Promise((resolve) => {
        fdatasync(file, (error) => {
          refused ??= error ?? undefined
          flushing = undefined
          resolve()
        })
      })
    },
    settle,
    async close() {
      await flushing
      closeSync(file)
      if (refused) throw refused
    },
  }
}
