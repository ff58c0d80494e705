/**
 * Moving the write-ahead logs into their files, out of the way of writers.
 *
 * A thread of its own does the copying and the waiting for the disk. It never quite catches up with a busy writer, so
 * when a log has grown long the writer itself copies the little that is left and starts the log anew.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { isDiskTrouble } from './open.ts'

export interface Checkpoints {
  /** Something was written to this file. */
  written(db: DatabaseSync): void
  stop(): Promise<void>
}

export interface CheckpointAnswer {
  readonly path: string
  /** Pages in the log, as far as the checkpoint could see. */
  readonly pages: number
}

const EVERY_MS = 400
/** Pages of 4 KiB: past this the writer starts the log anew. */
const LONG_LOG = 24_000

export function startCheckpoints(
  files: readonly { readonly db: DatabaseSync; readonly path: string }[],
): Checkpoints {
  const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url))
  const dirty = new Set<DatabaseSync>()
  const underWay = new Set<string>()

  worker.on('message', ({ path, pages }: CheckpointAnswer) => {
    underWay.delete(path)
    const file = files.find((one) => one.path === path)
    if (file && pages > LONG_LOG) passiveCheckpoint(file.db)
  })

  const timer = setInterval(() => {
    for (const { db, path } of files) {
      if (!dirty.has(db) || underWay.has(path)) continue
      dirty.delete(db)
      underWay.add(path)
      worker.postMessage(path)
    }
  }, EVERY_MS)

  return {
    written: (db) => void dirty.add(db),
    async stop() {
      clearInterval(timer)
      await worker.terminate()
    },
  }
}

/** Copies what it can without waiting for anyone. A full disk is the next write's concern. */
function passiveCheckpoint(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!isDiskTrouble(error)) throw error
  }
}
