/**
 * Queries that may take long, run in threads of their own while the event loop goes on. A query ends itself when its time
 * is up. One that has waited for too long is not begun: its caller has gone, as a rule.
 */
import { Worker } from 'node:worker_threads'
import { Busy, Invalid, Unavailable } from '../../../../domain/errors.ts'
import type { Sql } from './compile-filter.ts'

export type Rows = readonly (readonly unknown[])[]

export interface ReaderPool {
  /**
   * The result rows of each statement, all from one state of the file. The statements are compiled to look at the time.
   * @throws Invalid when they take longer than the limit, by what they have to compute
   * @throws Unavailable when others took so long that there was no time left, or the machine gave them none
   */
  run(statements: readonly Sql[]): Promise<Rows[]>
  /** Reads another file from now on. Queries that are running end on the one before. */
  switchTo(path: string): void
  close(): Promise<void>
}

export interface ReaderPoolOptions {
  readonly path: string
  readonly threads: number
  readonly limitMs: number
  /** The refusal of what takes longer; unless it says otherwise, the filter is at fault. */
  readonly tooLong?: (limitMs: number) => Error
}

interface Job {
  readonly statements: readonly Sql[]
  readonly resolve: (rows: Rows[]) => void
  readonly reject: (error: Error) => void
  /** When it is too late to begin, by `performance.now()`. */
  readonly deadline: number
}

export interface ReaderQuestion {
  readonly statements: readonly Sql[]
  readonly limitMs: number
}

export type ReaderAnswer = { readonly rows: Rows[] } | ReaderFailure

interface ReaderFailure {
  readonly error: string
  readonly late: boolean
  /** Whether it is trouble of the disk. */
  readonly disk: boolean
  /** What it cost, whatever the time that passed. */
  readonly computedMs: number
}

const MAX_WAITING = 500
const MOST_WAITING_MS = 5_000
/** A thread that does not end its query by itself is ended, this long after. */
const GRACE_MS = 2_000

export function readerPool({
  path,
  threads,
  limitMs,
  tooLong = filterTooLong,
}: ReaderPoolOptions): ReaderPool {
  const waiting: Job[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, { job: Job; timer: NodeJS.Timeout }>()
  /** Threads that read a file which is read no more. */
  const outdated = new WeakSet<Worker>()
  let current = path
  let closed = false

  const late = (computedMs: number) =>
    isCheap(computedMs, limitMs)
      ? new Unavailable('other work left too little of the machine for this query')
      : tooLong(limitMs)

  const start = (): Worker => {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'reader',
      workerData: { path: current },
    })
    worker.unref()
    worker.on('message', (answer: ReaderAnswer) => {
      const done = finish(worker)
      if (!done) return
      if ('rows' in answer) done.resolve(answer.rows)
      else done.reject(answer.late ? late(answer.computedMs) : failed(answer))
      if (outdated.has(worker)) void worker.terminate()
      else idle.push(worker)
      next()
    })
    worker.on('error', (error) => {
      // It could not open the file.
      finish(worker)?.reject(failed({ error: (error as Error).message, disk: true }))
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    return worker
  }

  const finish = (worker: Worker): Job | undefined => {
    const entry = busy.get(worker)
    if (!entry) return undefined
    clearTimeout(entry.timer)
    busy.delete(worker)
    return entry.job
  }

  const next = () => {
    while (waiting.length > 0 && busy.size < threads && !closed) {
      const job = waiting.shift()!
      if (performance.now() > job.deadline) {
        job.reject(new Unavailable('long queries of others left no time for this one'))
        continue
      }
      const worker = idle.pop() ?? start()
      const timer = setTimeout(() => {
        finish(worker)?.reject(tooLong(limitMs))
        void worker.terminate()
        next()
      }, limitMs + GRACE_MS)
      busy.set(worker, { job, timer })
      worker.postMessage({ statements: job.statements, limitMs } satisfies ReaderQuestion)
    }
  }

  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        if (closed || waiting.length >= MAX_WAITING)
          return reject(new Busy('too many long queries are waiting'))
        waiting.push({ statements, resolve, reject, deadline: performance.now() + MOST_WAITING_MS })
        next()
      }),
    switchTo(file) {
      current = file
      for (const worker of idle.splice(0)) void worker.terminate()
      for (const worker of busy.keys()) outdated.add(worker)
    },
    async close() {
      closed = true
      const workers = [...idle, ...busy.keys()]
      for (const job of [...waiting.splice(0), ...[...busy.keys()].map(finish)])
        job?.reject(new Unavailable('the read models are closing'))
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

const failed = ({ error, disk }: Pick<ReaderFailure, 'error' | 'disk'>): Error =>
  disk ? new Unavailable(`the embedded store cannot do this now (${error})`) : new Error(error)

/** Whether a query that has used up its time was held up by others: it has hardly computed anything. */
export const isCheap = (computedMs: number, limitMs: number): boolean => computedMs < limitMs / 10

export function filterTooLong(limitMs: number): Invalid {
  const message = `takes longer than ${limitMs / 1000} s; narrow it by a field that is indexed`
  return new Invalid(`the query ${message}`, [{ Field: 'filter', Message: message }])
}
