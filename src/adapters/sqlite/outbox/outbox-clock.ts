/**
 * The time by which deliveries of the outbox come due.
 *
 * It starts at the wall clock, so that it goes on while the service is off, and then follows the monotonic one: a clock
 * that is set while the service runs moves no delivery. It never starts before the last moment that the file has seen,
 * so a clock that was set back meanwhile does not lengthen what is left of a delay.
 */
import type { Clock } from '../../../ports/clock.ts'

/** Milliseconds since 1970, about; never going back. */
export function outboxClock({ clock, notBefore }: { clock: Clock; notBefore: number }): () => number {
  const start = Math.max(clock.now(), notBefore) - clock.elapsed()
  return () => start + clock.elapsed()
}
