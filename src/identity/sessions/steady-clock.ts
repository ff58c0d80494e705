/**
 * The clock that sessions and tokens live by: the wall clock, but never behind what has passed since the start. A wall
 * clock that is set back lengthens nothing; one that was ahead for a while and is right again leaves nothing behind.
 */
import type { Clock } from '../../ports/clock.ts'

/** Milliseconds since 1970. */
export function steadyNow(clock: Clock): () => number {
  const start = clock.now() - clock.elapsed()
  return () => Math.max(clock.now(), start + clock.elapsed())
}
