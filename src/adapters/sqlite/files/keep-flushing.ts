/**
 * Has a file that another thread writes written to the disk bit by bit while it grows: an fsync of somebody else then
 * stands behind a few megabytes, not behind all of it.
 *
 * Whether the disk took it is for the writer to ask, by an fsync at the end: it hears of what was refused here as well, if
 * it opened the file before it wrote.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** At least so long, and as long as it took, the disk is left to others. */
const REST_MS = 20

/** Resolves when nothing is under way any more. */
export type StopFlushing = () => Promise<void>

/** The file need not be there yet. */
export function keepFlushing(path: string): StopFlushing {
  const ended = new AbortController()
  const rest = (ms: number) => delay(ms, undefined, { signal: ended.signal }).catch(() => {})
  const flush = async () => {
    let file: FileHandle | undefined
    while (!ended.signal.aborted) {
      const begun = performance.now()
      file ??= await open(path, 'r+').catch(() => undefined)
      await file?.datasync().catch(() => {})
      await rest(Math.max(REST_MS, performance.now() - begun))
    }
    await file?.close()
  }
  const flushing = flush()
  return async () => {
    ended.abort()
    await flushing
  }
}
