/** Whether the store of events lets the service read it, watched for as long as the process runs. */
import { setTimeout as delay } from 'node:timers/promises'
import { Denied } from '../../domain/errors.ts'
import type { EventStore } from '../../ports/event-store.ts'

const RIGHTS_MS = 5_000

export interface Rights {
  /** What the store of events denies the service, for readiness; undefined when it denies nothing. */
  denied(): string | undefined
  stop(): void
}

/**
 * Looks every few seconds whether the end of all events may be read. Without that right nothing new is shown, while those
 * subscriptions that run already go on.
 * @param pause rests before the next look, until the signal is aborted
 */
export function watchRights(
  events: Pick<EventStore, 'head'>,
  pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
    delay(ms, undefined, { signal, ref: false }).catch(() => {}),
): Rights {
  const stopped = new AbortController()
  let reason: string | undefined
  const watch = async () => {
    while (!stopped.signal.aborted) {
      await events.head().then(
        () => (reason = undefined),
        (error: unknown) => {
          if (error instanceof Denied) reason = 'The event store does not let the service read $all.'
        },
      )
      await pause(RIGHTS_MS, stopped.signal)
    }
  }
  void watch()
  return { denied: () => reason, stop: () => stopped.abort() }
}
