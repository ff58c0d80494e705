/** The main thread's end of the line to the webhooks thread, which is started again when it dies. */
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { calls, type Calls } from '../../adapters/threads/calls.ts'
import type { Log } from '../../api/http/log.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { AskedOfMain, AskedOfWebhooks, WebhooksData } from '../threads/webhooks.ts'

export interface WebhooksLinkOptions {
  readonly data: WebhooksData
  readonly asked: AskedOfMain
  readonly log: Log
  /** The thread dies again and again: the process has to end. */
  readonly onFatal: (reason: string) => void
  /** The file of the thread; for tests of threads that die. */
  readonly thread?: URL
  /** First pause before the thread is started again, in ms; it doubles. */
  readonly pauseMs?: number
}

export interface WebhooksLink {
  /** @throws what the thread threw; Unavailable when it is not running */
  call<Name extends keyof AskedOfWebhooks>(
    name: Name,
    ...values: Parameters<AskedOfWebhooks[Name]>
  ): Promise<Awaited<ReturnType<AskedOfWebhooks[Name]>>>
  /** Calls and wants no answer. */
  send<Name extends keyof AskedOfWebhooks>(name: Name, ...values: Parameters<AskedOfWebhooks[Name]>): void
  /** Why the thread is not running; undefined while it is. */
  failure(): string | undefined
  /** Why deliveries are held; undefined where they go on. */
  held(): string | undefined
  stop(): Promise<void>
}

/** Deaths in a row after which the process ends. */
const MOST_DEATHS = 5
/** A thread that has lived this long died of something new. */
const STEADY_MS = 60_000
const LONGEST_PAUSE_MS = 30_000

interface Running {
  readonly line: Calls
  readonly ended: Promise<string>
}

/**
 * Resolves when the thread has opened the outbox.
 * @throws Error with the thread's own words when it ends before
 */
export async function linkWebhooks(options: WebhooksLinkOptions): Promise<WebhooksLink> {
  const { log, onFatal, pauseMs = 1_000 } = options
  const stopping = new AbortController()
  let failure: string | undefined
  let running = spawn(options)

  const keepRunning = async () => {
    for (let deaths = 1; ; deaths++) {
      const since = performance.now()
      const reason = await running.ended
      if (stopping.signal.aborted) return
      if (performance.now() - since > STEADY_MS) deaths = 1
      failure = `the webhooks thread has ended: ${reason}`
      log.error({ detail: reason, deaths }, 'the webhooks thread has ended; it is started again')
      if (deaths >= MOST_DEATHS) return onFatal(failure)
      const pause = Math.min(pauseMs * 2 ** (deaths - 1), LONGEST_PAUSE_MS)
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      running = spawn(options)
      running.line.call('opened').then(
        () => (failure = undefined),
        () => {},
      )
    }
  }

  const first = running
  let held: string | undefined
  const died = await first.line.call<string | undefined>('opened').then(
    (why) => {
      held = why
      return undefined
    },
    () => first.ended,
  )
  if (died !== undefined) throw new Error(died)
  const keeping = keepRunning()

  return {
    call: (name, ...values) => {
      if (failure !== undefined) return Promise.reject(new Unavailable(failure))
      return running.line.call(name, ...values)
    },
    send: (name, ...values) => running.line.send(name, ...values),
    failure: () => failure,
    held: () => held,
    async stop() {
      stopping.abort()
      await running.line.call('stop').catch(() => {})
      await running.ended
      await keeping
    },
  }
}

/** Ended: with the reason. */
function spawn({ data, asked, thread }: WebhooksLinkOptions): Running {
  const worker = new Worker(thread ?? new URL('../threads/webhooks.ts', import.meta.url), {
    workerData: data,
  })
  const line = calls(worker, { ...asked })
  let reason = 'it gave no reason'
  worker.on('error', (error) => (reason = error instanceof Error ? error.message : String(error)))
  const ended = new Promise<string>((resolve) =>
    worker.once('exit', () => {
      line.cut()
      resolve(reason)
    }),
  )
  return { line, ended }
}
