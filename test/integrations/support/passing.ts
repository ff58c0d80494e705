/** Time that passes while something is waited for: in steps that leave the service time to end what it has begun. */
import type { ManualClock } from '../../support/write-side.ts'
import { eventually } from '../../system/support/eventually.ts'

/** A command that claims a value is given up where more than 20 s pass while it runs: it must not meet every step. */
const REST_MS = 100

export function untilPassing(clock: Pick<ManualClock, 'pass'>, step: number) {
  return <T>(what: string, check: () => Promise<T>, longestMs = 30_000): Promise<T> => {
    let passedAt = -Infinity
    return eventually(
      what,
      async () => {
        if (performance.now() - passedAt >= REST_MS) {
          clock.pass(step)
          passedAt = performance.now()
        }
        return check()
      },
      longestMs,
    )
  }
}
