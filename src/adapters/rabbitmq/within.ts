/** Bounds of time around everything that waits for the broker: a half-open connection must hang nobody. */
import { boundedWait } from '../../domain/bounded-wait.ts'

/** What `work` settles with, or a rejection with Unavailable after `ms`; `work` itself goes on unheard. */
export function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  return boundedWait(ms, work, `${what}: no answer within ${Math.ceil(ms)} ms`)
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Pauses between tries: doubling, bounded, and with jitter so that processes do not come back in step. */
export function backOff(): { next(): number; reset(): void } {
  let pause = FIRST_PAUSE_MS
  return {
    next() {
      const jittered = pause * (0.5 + Math.random() / 2)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      return jittered
    },
    reset: () => (pause = FIRST_PAUSE_MS),
  }
}
