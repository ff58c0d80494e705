/** A thread that is started again when it dies; one that dies again and again ends the process. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Log } from '../../ports/log.ts'
import { messageOf } from '../../domain/errors.ts'

export interface RunningThread {
  /** Resolves when it does its work; may never settle for one that dies. */
  readonly opened: Promise<unknown>
  /** Resolves when it has ended, with the reason. */
  readonly ended: Promise<string>
}

export interface KeepThreadOptions<Running extends RunningThread> {
  /** For messages: `the webhooks thread`. */
  readonly what: string
  readonly first: Running
  readonly spawn: () => Running
  readonly log: Pick<Log, 'error'>
  /** It dies again and again: the process has to end. */
  readonly onFatal: (reason: string) => void
  /** First pause before it is started again, in ms; it doubles. */
  readonly pauseMs?: number
}

export interface KeptThread<Running> {
  current(): Running
  /** Why it is not running; undefined while it is. */
  failure(): string | undefined
  /** It is to end now: no other is started. Resolves when it has. */
  stop(end: (running: Running) => Promise<unknown>): Promise<void>
}

/** Deaths in a row after which the process ends. */
const MOST_DEATHS = 5
/** A thread that has lived this long died of something new. */
const STEADY_MS = 60_000
const LONGEST_PAUSE_MS = 30_000

export function keepThread<Running extends RunningThread>(
  options: KeepThreadOptions<Running>,
): KeptThread<Running> {
  const { what, first, spawn, log, onFatal, pauseMs = 1_000 } = options
  const stopping = new AbortController()
  let failure: string | undefined
  let running = first

  const keepRunning = async () => {
    for (let deaths = 1; ; deaths++) {
      const since = performance.now()
      const reason = await running.ended
      if (stopping.signal.aborted) return
      if (performance.now() - since > STEADY_MS) deaths = 1
      failure = `${what} has ended: ${reason}`
      log.error({ detail: reason, deaths }, `${what} has ended; it is started again`)
      if (deaths >= MOST_DEATHS) return onFatal(failure)
      const pause = Math.min(pauseMs * 2 ** (deaths - 1), LONGEST_PAUSE_MS)
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      running = spawn()
      running.opened.then(
        () => (failure = undefined),
        () => {},
      )
    }
  }
  const keeping = keepRunning()

  return {
    current: () => running,
    failure: () => failure,
    async stop(end) {
      stopping.abort()
      await end(running).catch(() => {})
      await running.ended
      await keeping
    },
  }
}

/** Resolves when the thread has ended, with the reason. */
export function endOf(worker: Worker): Promise<string> {
  let reason = 'it gave no reason'
  worker.on('error', (error) => (reason = messageOf(error)))
  return new Promise((resolve) => worker.once('exit', () => resolve(reason)))
}
