/**
 * The clock that events are recorded by: the wall clock, but small steps back are not followed.
 *
 * A step back of more than five minutes is followed: it means that the clock was wrong before, and later events must not
 * carry that time for ever. A read for a moment goes by the running maximum of the log, so that no event comes to
 * stand behind it either way. See `docs/decisions/time.md`.
 */
import type { Clock } from '../../ports/clock.ts'

const LARGE_STEP_MS = 5 * 60_000

export function recordingClock(clock: Clock): Clock {
  let last = -Infinity
  return {
    now() {
      const now = clock.now()
      if (now > last || last - now > LARGE_STEP_MS) last = now
      return last
    },
    elapsed: clock.elapsed,
  }
}
