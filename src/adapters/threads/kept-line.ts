/** The main thread's end of a line to a thread, which is started again when it dies. */
import type { Worker } from 'node:worker_threads'
import { Unavailable } from '../../domain/errors.ts'
import type { Log } from '../../ports/log.ts'
import { calls, type Calls } from './calls.ts'
import { endOf, keepThread, type RunningThread } from './keep-thread.ts'

type Handler = (...values: never[]) => Promise<unknown>

/** What every thread is asked of that is kept. */
export interface AskedOfThread {
  /** Resolves once it does its work, with why some of it is held. */
  opened(): Promise<string | undefined>
  stop(): Promise<void>
}

/** All that a thread is asked, by name. */
type Askable<Asked> = AskedOfThread & { readonly [Name in keyof Asked]: (...values: never[]) => unknown }

export interface KeptLineOptions {
  /** For messages: `the webhooks thread`. */
  readonly what: string
  /** Starts the thread. */
  readonly start: () => Worker
  /** What it asks. */
  readonly asked: Readonly<Record<string, Handler>>
  readonly log: Pick<Log, 'error'>
  /** The thread dies again and again: the process has to end. */
  readonly onFatal: (reason: string) => void
  /** First pause before the thread is started again, in ms; it doubles. */
  readonly pauseMs?: number
}

export interface KeptLine<Asked extends Askable<Asked>> {
  /** @throws what the thread threw; Unavailable when it is not running */
  call<Name extends keyof Asked>(
    name: Name,
    ...values: Parameters<Asked[Name]>
  ): Promise<Awaited<ReturnType<Asked[Name]>>>
  /** Calls and wants no answer. */
  send<Name extends keyof Asked>(name: Name, ...values: Parameters<Asked[Name]>): void
  /** Why the thread is not running; undefined while it is. */
  failure(): string | undefined
  /** Why some of its work is held; undefined where it goes on. */
  held(): string | undefined
  stop(): Promise<void>
}

interface Running extends RunningThread {
  readonly line: Calls
  readonly opened: Promise<string | undefined>
}

/**
 * Resolves when the thread has opened what it works on.
 * @throws Error with the thread's own words when it ends before
 */
export async function keptLine<Asked extends Askable<Asked>>(
  options: KeptLineOptions,
): Promise<KeptLine<Asked>> {
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
  const kept = keepThread({ ...options, first, spawn: () => spawn(options) })

  return {
    call: (name, ...values) => {
      const failure = kept.failure()
      if (failure !== undefined) return Promise.reject(new Unavailable(failure))
      return kept.current().line.call(name as string, ...values)
    },
    send: (name, ...values) => kept.current().line.send(name as string, ...values),
    failure: kept.failure,
    held: () => held,
    stop: () => kept.stop(({ line }) => line.call('stop')),
  }
}

function spawn({ start, asked }: KeptLineOptions): Running {
  const worker = start()
  const line = calls(worker, asked)
  const ended = endOf(worker)
  void ended.then(() => line.cut())
  return { line, opened: line.call('opened'), ended }
}
