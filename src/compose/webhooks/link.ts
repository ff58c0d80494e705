/** The main thread's end of the line to the webhooks thread, which is started again when it dies. */
import { Worker } from 'node:worker_threads'
import { calls, type Calls } from '../../adapters/threads/calls.ts'
import type { Log } from '../../ports/log.ts'
import { Unavailable } from '../../domain/errors.ts'
import { endOf, keepThread, type RunningThread } from '../../adapters/threads/keep-thread.ts'
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

interface Running extends RunningThread {
  readonly line: Calls
  /** With why deliveries are held. */
  readonly opened: Promise<string | undefined>
}

/**
 * Resolves when the thread has opened the outbox.
 * @throws Error with the thread's own words when it ends before
 */
export async function linkWebhooks(options: WebhooksLinkOptions): Promise<WebhooksLink> {
  const first = spawn(options)
  let held: string | undefined
  const died = await first.opened.then(
    (why) => {
      held = why
      return undefined
    },
    () => first.ended,
  )
  if (died !== undefined) throw new Error(died)
  const kept = keepThread({ ...options, what: 'the webhooks thread', first, spawn: () => spawn(options) })

  return {
    call: (name, ...values) => {
      const failure = kept.failure()
      if (failure !== undefined) return Promise.reject(new Unavailable(failure))
      return kept.current().line.call(name, ...values)
    },
    send: (name, ...values) => kept.current().line.send(name, ...values),
    failure: kept.failure,
    held: () => held,
    stop: () => kept.stop(({ line }) => line.call('stop')),
  }
}

/** What following makes is garbage at once: without a limit V8 keeps some 50 MB of room for it. */
const MEMORY = { maxYoungGenerationSizeMb: 8 }

function spawn({ data, asked, thread }: WebhooksLinkOptions): Running {
  const worker = new Worker(thread ?? new URL('../threads/webhooks.ts', import.meta.url), {
    name: 'webhooks',
    workerData: data,
    resourceLimits: MEMORY,
  })
  const line = calls(worker, { ...asked })
  const ended = endOf(worker)
  void ended.then(() => line.cut())
  return { line, opened: line.call('opened'), ended }
}
