/** Reads columns in a thread of its own, which ends when it has had nothing to read for a while. */
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../../domain/errors.ts'
import type { ColumnReader } from './column-scopes.ts'
import type { ColumnsWanted, Rows } from './read-columns.ts'

export type ColumnAnswer = { readonly rows: Rows } | { readonly error: string }

const IDLE_MS = 5_000
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

export function columnReader(path: string): ColumnReader {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const end = () => {
    clearTimeout(idle)
    void worker?.terminate()
    worker = undefined
  }

  const one = (wanted: ColumnsWanted) =>
    new Promise<Rows>((resolve, reject) => {
      if (closed) return reject(new Unavailable('the read models are closing'))
      clearTimeout(idle)
      worker ??= new Worker(new URL('./column-reader-thread.ts', import.meta.url), {
        workerData: { path },
        resourceLimits: MEMORY,
      })
      worker.unref()
      const done = (work: () => void) => {
        worker?.removeAllListeners()
        idle = setTimeout(end, IDLE_MS).unref()
        work()
      }
      worker.once('message', (answer: ColumnAnswer) =>
        done(() => ('rows' in answer ? resolve(answer.rows) : reject(new Error(answer.error)))),
      )
      worker.once('error', (error: Error) => {
        worker = undefined
        done(() => reject(error))
      })
      worker.once('exit', () =>
        done(() => reject(new Unavailable('the thread that reads columns has ended'))),
      )
      worker.postMessage(wanted)
    })

  return {
    read(wanted) {
      const read = last.then(() => one(wanted))
      last = read.catch(() => undefined)
      return read
    },
    close() {
      closed = true
      end()
    },
  }
}
