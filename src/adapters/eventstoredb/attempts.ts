/**
 * Calls that go on until they are answered, for a bounded time.
 *
 * Every call of the adapter can be repeated without harm (an append has the same ids and expected version each time), so
 * an unknown outcome is resolved by asking again: one attempt at a time, each with its own deadline, on a new client
 * when the old one may be stuck.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Denied, TooLarge, Unavailable } from '../../domain/errors.ts'
import { VersionConflict } from '../../ports/event-store.ts'
import type { Connection, Link } from './connection.ts'
import { Damaged, isDenied, isRefusal, messageOf } from './outcomes.ts'

/**
 * One attempt; it settles within these milliseconds, or as long as it makes headway.
 * @param left how many there are for all attempts together
 */
export type Attempt<T> = (link: Link, ms: number, left: number) => Promise<T>
export type Attempts = <T>(what: string, attempt: Attempt<T>) => Promise<T>

const ATTEMPTS_IN_TIME = 3
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000

/** The pause after a failure, and its successor: doubling, bounded, with jitter so that callers do not march in step. */
export const firstPause = FIRST_PAUSE_MS
export const nextPause = (pause: number): number => Math.min(pause * 2, LONGEST_PAUSE_MS)
export const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2)

const isFinal = (error: unknown): boolean =>
  error instanceof VersionConflict || error instanceof TooLarge || error instanceof Damaged

/**
 * What it returns rejects with an answer (VersionConflict, TooLarge, Damaged), or with Unavailable after
 * `timeoutMs`, or at once when the server refuses (Denied where a right is missing) or `closing` is aborted.
 */
export function attempts({
  connection,
  timeoutMs,
  closing,
}: {
  readonly connection: Connection
  readonly timeoutMs: number
  readonly closing: AbortSignal
}): Attempts {
  return async (what, attempt) => {
    const until = performance.now() + timeoutMs
    for (let pause = firstPause; ; pause = nextPause(pause)) {
      if (closing.aborted) throw new Unavailable(`${what}: the event store is closed`)
      const link = connection.current()
      const left = Math.max(1, until - performance.now())
      const ms = Math.min(timeoutMs / ATTEMPTS_IN_TIME, left)
      try {
        const answer = await attempt(link, ms, left)
        connection.worked(link)
        return answer
      } catch (error) {
        if (isFinal(error)) throw error
        if (isDenied(error)) throw new Denied(`${what}: the event store denies access: ${messageOf(error)}`)
        if (isRefusal(error)) throw new Unavailable(`${what}: the event store refuses: ${messageOf(error)}`)
        connection.failed(link, error)
        const wait = jittered(pause)
        if (performance.now() + wait >= until) {
          throw new Unavailable(`${what}: the event store cannot be reached: ${messageOf(error)}`)
        }
        await sleep(wait, undefined, { signal: closing }).catch(() => {})
      }
    }
  }
}
