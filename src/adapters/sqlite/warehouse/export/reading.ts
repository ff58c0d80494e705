/** Jobs for reading threads: a thread for each, ended when its work is done or its reader has gone. */
import { Worker } from 'node:worker_threads'
import { Busy, Unavailable, messageOf } from '../../../../domain/errors.ts'
import { asUnavailable, isDamage } from '../../files/open.ts'
import type { ByteStream } from '../../../../ports/warehouse.ts'
import type { ReadingAnswer, ReadingJob } from './reading-thread.ts'

export interface Reading {
  /** The one answer of a job that has no more. @throws Busy when too many of them run already */
  ask(job: Exclude<ReadingJob, { kind: 'export' }>): Promise<ReadingAnswer>
  /** The pieces of an export, each made while the one before is taken. */
  stream(job: Extract<ReadingJob, { kind: 'export' }>): ByteStream
  close(): Promise<void>
}

interface Reader {
  next(): Promise<ReadingAnswer>
  more(): void
  end(): Promise<void>
}

/** What a thread makes is garbage at once: without a limit V8 lets tens of megabytes of it lie, for each of them. */
const MEMORY = { maxYoungGenerationSizeMb: 4 }

/** `most`: of jobs with one answer, at a time. */
export function reading({ most }: { readonly most: number }): Reading {
  const running = new Set<Reader>()
  let asked = 0
  let isClosed = false

  const start = (job: ReadingJob): Reader => {
    if (isClosed) throw new Unavailable('the warehouse is closed')
    const reader = readerOf(job, () => running.delete(reader))
    running.add(reader)
    return reader
  }

  async function* streamOf(reader: Reader): AsyncGenerator<Uint8Array> {
    try {
      reader.more()
      for (;;) {
        const answer = await reader.next()
        if (answer.kind !== 'chunk') return
        reader.more() // made while this one is sent
        yield answer.bytes
      }
    } finally {
      await reader.end()
    }
  }

  return {
    async ask(job) {
      if (asked >= most) throw new Busy('too much of the warehouse is being read already')
      const reader = start(job)
      asked++
      try {
        return await reader.next()
      } finally {
        asked--
        await reader.end()
      }
    },
    stream: (job) => streamOf(start(job)),
    async close() {
      isClosed = true
      await Promise.all([...running].map((reader) => reader.end()))
    },
  }
}

function readerOf(job: ReadingJob, onEnd: () => void): Reader {
  const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
    name: 'export-reader',
    workerData: job,
    resourceLimits: MEMORY,
  })
  worker.unref()
  const answers: ReadingAnswer[] = []
  let failure: unknown
  let waiting: { resolve: (answer: ReadingAnswer) => void; reject: (error: unknown) => void } | undefined
  const settle = () => {
    if (!waiting || (answers.length === 0 && failure === undefined)) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (answers.length > 0) resolve(answers.shift()!)
    else reject(failure)
  }
  worker.on('message', (answer: ReadingAnswer) => {
    answers.push(answer)
    settle()
  })
  worker.on('error', (error) => {
    failure = isDamage(error)
      ? new Unavailable(`the warehouse cannot be read (${messageOf(error)})`)
      : asUnavailable(error)
    settle()
  })
  worker.on('exit', () => {
    failure ??= new Unavailable('the export was broken off')
    settle()
  })
  return {
    next: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        settle()
      }),
    more: () => worker.postMessage('more'),
    async end() {
      onEnd()
      await worker.terminate()
    },
  }
}
