/**
 * Moving the write-ahead logs into their files, out of the way of writers.
 *
 * A thread of its own does the copying and the waiting for the disk: when a log has grown, and when writers pause. It
 * never quite catches up with a busy writer, so when a log has grown long the writer itself copies the little that is
 * left, and its next write begins the log anew. Seldom is better than often: what was written twice in between is copied
 * once, and never goes to the disk as log. Where nothing is written there is no such thread.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { isDiskTrouble, isFsyncFailure } from './open.ts'

export interface Checkpoints {
  /** Looks after this file, too. */
  watch(file: CheckpointedFile): void
  /** The file is going to be closed. */
  unwatch(db: DatabaseSync): void
  /** Something was written to this file. */
  written(db: DatabaseSync): void
  stop(): Promise<void>
}

export interface CheckpointedFile {
  readonly db: DatabaseSync
  readonly path: string
  /** Pages of 4 KiB that may wait in the log. */
  readonly grown: number
}

export interface CheckpointAnswer {
  readonly path: string
  readonly fsyncFailed: boolean
}

interface Watched extends CheckpointedFile {
  /** Whether something was written since the last look. */
  written: boolean
  /** Whether the log holds what its file does not. */
  behind: boolean
  underWay: boolean
}

const LOOK_MS = 100
/** A log this many times longer than it may grow is begun anew by the writer. */
const LONG = 3
/** Looks without work after which the thread is ended: 10 s. It keeps files open, and memory. */
const IDLE_LOOKS = 100

/** `onFsyncFailure`: a disk refused an fsync; what it has of the file is not known any more. */
export function startCheckpoints(
  files: readonly CheckpointedFile[],
  onFsyncFailure: (path: string) => void,
): Checkpoints {
  let worker: Worker | undefined
  let idleLooks = 0
  let watched: readonly Watched[] = []
  const watch = (file: CheckpointedFile) => {
    watched = [...watched, { ...file, written: false, behind: true, underWay: false }]
  }
  files.forEach(watch)

  let stopped = false
  const start = () => {
    const started = new Worker(new URL('./checkpoint-thread.ts', import.meta.url))
    started.on('message', answered)
    return started
  }
  const answered = ({ path, fsyncFailed }: CheckpointAnswer) => {
    if (stopped) return
    if (fsyncFailed) return onFsyncFailure(path)
    const file = watched.find((one) => one.path === path)
    if (!file) return
    file.underWay = false
    try {
      if (logOf(file.db, 'NOOP').pages > LONG * file.grown) logOf(file.db, 'PASSIVE')
    } catch (error) {
      if (!isFsyncFailure(error)) throw error
      onFsyncFailure(path)
    }
  }

  const look = (file: Watched) => {
    const paused = !file.written
    file.written = false
    if (file.underWay || !file.behind) return
    const { pages, copied } = logOf(file.db, 'NOOP')
    file.behind = pages > copied
    if (!file.behind || !(paused || pages - copied > file.grown)) return
    file.underWay = true
    worker ??= start()
    worker.postMessage(file.path)
  }
  const endIdle = () => {
    idleLooks = watched.some(({ underWay }) => underWay) ? 0 : idleLooks + 1
    if (idleLooks < IDLE_LOOKS) return
    void worker?.terminate()
    worker = undefined
  }
  const timer = setInterval(() => {
    watched.forEach(look)
    endIdle()
  }, LOOK_MS)

  return {
    watch,
    unwatch(db) {
      watched = watched.filter((one) => one.db !== db)
    },
    written(db) {
      const file = watched.find((one) => one.db === db)
      if (file) file.written = file.behind = true
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await worker?.terminate()
    },
  }
}

/** The log's length in pages and how much of it the file has. NOOP only asks; PASSIVE copies what nobody holds up. */
function logOf(db: DatabaseSync, mode: 'NOOP' | 'PASSIVE'): { pages: number; copied: number } {
  try {
    const { log, checkpointed } = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as {
      log: number
      checkpointed: number
    }
    return { pages: log, copied: checkpointed }
  } catch (error) {
    // A full disk is the next write's concern.
    if (!isDiskTrouble(error) || isFsyncFailure(error)) throw error
    return { pages: 0, copied: 0 }
  }
}
