/** The thread that writes the warehouse, as the main thread has it. Reads and writes of records go on without it. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Log } from '../../../ports/log.ts'
import { endOf, keepThread } from '../../threads/keep-thread.ts'

export type ToWriter = 'grown' | 'close'
export type FromWriter =
  /** Worth a line in the log. */
  | { readonly kind: 'trouble'; readonly message: string; readonly detail: string }
  /** Whether a process with other definitions writes in its place. */
  | { readonly kind: 'superseded'; readonly superseded: boolean }

const GROWN_MS = 100

export interface WriterOptions {
  /** Starts the thread. */
  readonly start: () => Worker
  readonly log: Pick<Log, 'error'>
  readonly onFatal: (reason: string) => void
  /** First pause before the thread is started again, in ms; it doubles. */
  readonly pauseMs?: number
}

export function startWriter(options: WriterOptions) {
  const { start, log } = options
  let isSuperseded = false
  const spawn = () => {
    isSuperseded = false
    const worker = start()
    worker.on('message', (from: FromWriter) => {
      if (from.kind === 'superseded') isSuperseded = from.superseded
      else log.error({ detail: from.detail }, from.message)
    })
    const say = (message: ToWriter) => worker.postMessage(message)
    return { say, opened: once(worker, 'online'), ended: endOf(worker) }
  }
  const kept = keepThread({ ...options, what: 'the warehouse thread', first: spawn(), spawn })
  let timer: NodeJS.Timeout | undefined
  return {
    isSuperseded: () => isSuperseded,
    grown() {
      timer ??= setTimeout(() => {
        timer = undefined
        kept.current().say('grown')
      }, GROWN_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await kept.stop(async ({ say }) => say('close'))
    },
  }
}
