/**
 * The clock by which sessions and tokens expire: the wall clock, but never less than the start plus the time elapsed since.
 * Setting the wall clock back extends nothing; a wall clock that was ahead for a while has no lasting effect.
 */
import type { Clock } from '../../ports/clock.ts'

/** Milliseconds since 1970. */
export function steadyNow(clock: Clock): () => number {
  const start = clock.now() - clock.elapsed()
  return () => Math.max(clock.now(), start + clock.elapsed())
}
