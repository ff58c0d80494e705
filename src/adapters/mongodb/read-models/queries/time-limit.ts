/** The time that all queries of one call have together. */
import { boundedWait } from '../../../../domain/bounded-wait.ts'
import { OutOfTime } from '../../domain-errors.ts'

export interface TimeLimit {
  /** The option for the next query: what is left. @throws OutOfTime when nothing is */
  maxTime(): { readonly maxTimeMS: number }
  /** The result; Unavailable when the server says nothing although the time is up. */
  within<T>(work: Promise<T>): Promise<T>
}

/** How much later than promised an answer may be before the server counts as gone. */
const GRACE_MS = 500

export function timeLimit(limitMs: number): TimeLimit {
  const end = performance.now() + limitMs
  return {
    maxTime() {
      const left = Math.ceil(end - performance.now())
      if (left <= 0) throw new OutOfTime()
      return { maxTimeMS: left }
    },
    within(work) {
      const left = Math.max(0, end - performance.now()) + GRACE_MS
      return boundedWait(left, work, 'the read model does not answer')
    },
  }
}
