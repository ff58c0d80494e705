/**
 * Moving the write-ahead logs into their files (SQLite's WAL checkpoints), out of the way of writers.
 *
 * A thread of its own does the copying and the waiting for the disk: when a log has grown, and when writers pause. It
 * never quite catches up with a busy writer, so when a log has grown long the writer itself copies the little that is
 * left, and its next write begins the log again. Seldom is better than often: what was written twice in between is copied
 * once, and never goes to the disk as log. Where nothing is written there is no such thread.
 *
 * A log that was begun again keeps its size on the disk, which spares the file system work. At rest it is cut off, and so
 * it is where little room is left: there logs are kept short, so that they do not fill the disk by themselves.
 */
import type { DatabaseSync } from 'node:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isDiskTrouble, isFsyncFailure } from './open.ts'

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

export interface CheckpointsOptions {
  /** A disk refused an fsync; what it has of the file is not known any more. */
  readonly onFsyncFailure: (path: string) => void
  /** Bytes that the file system of a file has left. */
  readonly room?: (path: string) => number
  /** Looks without work after which logs are cut off and the thread, which takes memory, is ended; there are ten a second. */
  readonly restLooks?: number
}

interface Watched extends CheckpointedFile {
  /** Whether something was written since the last look. */
  written: boolean
  /** Whether the log holds what its file does not. */
  behind: boolean
  underWay: boolean
}

const LOOK_MS = 100
/** A log this many times longer than it may grow is begun again by the writer. */
const LONG = 3
/** Looks from one look at the room to the next: 1 s. */
const ROOM_LOOKS = 10
/** With less room than this, logs are kept short. */
const LITTLE_ROOM = 512 * 2 ** 20
const SHORT_PAGES = 1_000
/** A shorter log is left as it is at rest, in bytes. */
const WORTH_CUTTING = 2 ** 20

export class Checkpoints {
  readonly #onFsyncFailure: (path: string) => void
  readonly #room: (path: string) => number
  readonly #restLooks: number
  readonly #timer: NodeJS.Timeout
  #worker: Worker | undefined
  #watched: readonly Watched[] = []
  #looks = 0
  #idleLooks = 0
  #isTight = false
  #isStopped = false

  constructor({ onFsyncFailure, room = roomOf, restLooks = 100 }: CheckpointsOptions) {
    this.#onFsyncFailure = onFsyncFailure
    this.#room = room
    this.#restLooks = restLooks
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  /** Looks after this file, too. */
  watch(file: CheckpointedFile): void {
    this.#watched = [...this.#watched, { ...file, written: false, behind: true, underWay: false }]
  }

  /** The file is going to be closed. */
  unwatch(db: DatabaseSync): void {
    this.#watched = this.#watched.filter((one) => one.db !== db)
  }

  /** Something was written to this file. */
  written(db: DatabaseSync): void {
    const file = this.#watched.find((one) => one.db === db)
    if (file) file.written = file.behind = true
  }

  /** The disk took no more: makes room of the logs, as far as that goes. */
  makeRoom(): void {
    this.#isTight = true
    for (const file of this.#watched) this.#cutOff(file)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#worker?.terminate()
  }

  #look(): void {
    if (this.#looks++ % ROOM_LOOKS === 0) this.#lookForRoom()
    for (const file of this.#watched) this.#lookAt(file)
    const busy = this.#watched.some(({ underWay, written, behind }) => underWay || written || behind)
    this.#idleLooks = busy ? 0 : this.#idleLooks + 1
    if (this.#idleLooks !== this.#restLooks) return
    for (const file of this.#watched) if (logBytes(file) > WORTH_CUTTING) this.#cutOff(file)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #lookForRoom(): void {
    const least = Math.min(...this.#watched.map(({ path }) => this.#room(path)))
    this.#isTight = least < LITTLE_ROOM
    // What is left of the room may not do for what has to be copied next.
    if (least < LONG * SHORT_PAGES * 4_096) this.makeRoom()
  }

  #lookAt(file: Watched): void {
    const paused = !file.written
    file.written = false
    if (file.underWay || !file.behind) return
    const { pages, copied } = logOf(file.db, 'NOOP')
    file.behind = pages > copied
    if (!file.behind || !(paused || pages - copied > this.#grown(file))) return
    file.underWay = true
    this.#worker ??= this.#start()
    this.#worker.postMessage(file.path)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { name: 'checkpoints' })
    worker.on('message', (answer: CheckpointAnswer) => this.#answered(answer))
    return worker
  }

  #answered({ path, fsyncFailed }: CheckpointAnswer): void {
    if (this.#isStopped) return
    if (fsyncFailed) return this.#onFsyncFailure(path)
    const file = this.#watched.find((one) => one.path === path)
    if (!file) return
    file.underWay = false
    if (this.#isTight) {
      if (logBytes(file) > LONG * SHORT_PAGES * 4_096) this.#cutOff(file)
    } else this.#guarded(file, () => void beginAgain(file))
  }

  /** Copies what is left and cuts the log off, unless somebody reads what stands in it. */
  #cutOff(file: Watched): void {
    this.#guarded(file, () => {
      file.db.exec('PRAGMA busy_timeout = 0')
      try {
        logOf(file.db, 'TRUNCATE')
      } finally {
        file.db.exec('PRAGMA busy_timeout = 5000')
      }
    })
  }

  #guarded(file: Watched, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!isFsyncFailure(error)) throw error
      this.#onFsyncFailure(file.path)
    }
  }

  #grown({ grown }: Watched): number {
    return this.#isTight ? Math.min(grown, SHORT_PAGES) : grown
  }
}

function beginAgain({ db, grown }: Watched): void {
  if (logOf(db, 'NOOP').pages > LONG * grown) logOf(db, 'PASSIVE')
}

/**
 * The log's length in pages and how much of it the file has. NOOP only asks; PASSIVE copies what nobody holds up; TRUNCATE
 * cuts the log off as well, if nobody reads from it.
 */
function logOf(db: DatabaseSync, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): { pages: number; copied: number } {
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

/** What the log takes on the disk. */
function logBytes({ path }: CheckpointedFile): number {
  try {
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0 // a disk that cannot be asked is the next write's concern
  }
}

function roomOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  } catch {
    return Infinity
  }
}
