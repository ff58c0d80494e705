/**
 * The clock of the demo's year: it goes as fast as any other, but is put forward from one thing that happens to the next.
 * It lives in the process that runs the demo; the service as it is otherwise started has the clock of the machine.
 */
import type { Clock } from '../../src/ports/clock.ts'

export interface DemoClock extends Clock {
  /** Puts it forward to this moment, in ms since 1970; it is never put back. */
  moveTo(moment: number): void
}

export function demoClock(start: number): DemoClock {
  let base = start
  let since = performance.now()
  const now = () => Math.floor(base + performance.now() - since)
  return {
    now,
    elapsed: () => performance.now(),
    moveTo(moment) {
      base = Math.max(moment, now())
      since = performance.now()
    },
  }
}
