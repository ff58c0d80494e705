/** Exports from PostgreSQL: a thread for each, ended when its work is done or its reader has gone. */
import type { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../domain/errors.ts'
import type { ByteStream } from '../../../ports/warehouse.ts'
import type { ExportAnswer, ExportJob } from './export-rows.ts'

export interface ExportThreads {
  /** The pieces of an export, each made while the one before is taken. */
  stream(job: Extract<ExportJob, { kind: 'export' }>): ByteStream
  /** Resolves when the file is there. @throws Unavailable */
  snapshot(job: Extract<ExportJob, { kind: 'snapshot' }>): Promise<void>
  close(): Promise<void>
}

/** @param startThread starts a thread for one job */
export function exportThreads(startThread: (job: ExportJob) => Worker): ExportThreads {
  const running = new Set<Worker>()
  let isClosed = false

  const start = (job: ExportJob): Worker => {
    if (isClosed) throw new Unavailable('the warehouse is closed')
    const worker = startThread(job)
    worker.unref()
    running.add(worker)
    worker.once('exit', () => running.delete(worker))
    return worker
  }
  const next = (worker: Worker): Promise<ExportAnswer> =>
    new Promise((resolve, reject) => {
      const settle = (work: () => void) => {
        worker.off('message', answered)
        worker.off('error', reject)
        worker.off('exit', ended)
        work()
      }
      const answered = (answer: ExportAnswer) => settle(() => resolve(answer))
      const ended = () => settle(() => reject(new Unavailable('the export was broken off')))
      worker.once('message', answered)
      worker.once('error', reject)
      worker.once('exit', ended)
    })
  const taken = (answer: ExportAnswer): Uint8Array | undefined => {
    if (answer.kind === 'failed') {
      if (answer.isUnavailable) throw new Unavailable(answer.message)
      throw new Error(answer.message)
    }
    return answer.kind === 'chunk' ? answer.bytes : undefined
  }

  async function* stream(worker: Worker): AsyncGenerator<Uint8Array> {
    try {
      let coming = next(worker)
      worker.postMessage('more')
      for (;;) {
        const bytes = taken(await coming)
        if (!bytes) return
        coming = next(worker) // made while this one is sent
        coming.catch(() => {})
        worker.postMessage('more')
        yield bytes
      }
    } finally {
      await worker.terminate()
    }
  }

  return {
    stream: (job) => stream(start(job)),
    async snapshot(job) {
      const worker = start(job)
      try {
        taken(await next(worker))
      } finally {
        await worker.terminate()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}
