/** Reads columns in a thread of its own, which ends when it has had nothing to read for a while. */
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../../domain/errors.ts'
import type { ColumnReader } from './column-scopes.ts'
import type { ColumnsWanted, Rows } from './read-columns.ts'

export type ColumnAnswer = { readonly rows: Rows } | { readonly error: string }

const IDLE_MS = 5_000
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

interface Reading {
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
}

export function columnReader(path: string): ColumnReader {
  let worker: Worker | undefined
  let reading: Reading | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const end = () => {
    clearTimeout(idle)
    void worker?.terminate()
    worker = undefined
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./column-reader-thread.ts', import.meta.url), {
      name: 'columns',
      workerData: { path },
      resourceLimits: MEMORY,
    })
    started.unref()
    started.on('message', (answer: ColumnAnswer) => {
      idle = setTimeout(end, IDLE_MS).unref()
      if ('rows' in answer) reading?.resolve(answer.rows)
      else reading?.reject(new Error(answer.error))
    })
    const failed = (error: Error) => {
      if (worker === started) worker = undefined
      reading?.reject(error)
    }
    started.on('error', failed)
    started.on('exit', () => {
      if (worker === started || closed) failed(new Unavailable('the thread that reads columns has ended'))
    })
    return started
  }

  const one = (wanted: ColumnsWanted) =>
    new Promise<Rows>((resolve, reject) => {
      if (closed) return reject(new Unavailable('the read models are closing'))
      clearTimeout(idle)
      reading = { resolve, reject }
      worker ??= start()
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
