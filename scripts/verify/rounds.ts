/**
 * Comparing what is written all the time. What is kept is read a round at a time, each time together with a position that
 * all of it shows at least; what has changed since that position while it was read is not judged, but read again in the next
 * round, beside a later position. So nothing is taken for different that is only newer, and nothing that differs is let
 * pass for being newer: it is equal in some round, or differs in one, or was never compared, and that is said.
 */
import { setTimeout as delay } from 'node:timers/promises'

/** Longest that rounds may follow each other without anything being compared. */
export const PATIENCE_MS = 30_000
const PAUSE_MS = 20

/**
 * `round` answers with what it could not judge, and is then asked for that alone. Ends when nothing is left.
 * @throws Error naming some of what changed in every round
 */
export async function inRounds<T>(
  round: (left: readonly T[] | undefined) => Promise<readonly T[]>,
  nameOf: (one: T) => string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  let left = await round(undefined)
  let least = left.length
  let movedAt = performance.now()
  while (left.length > 0) {
    if (performance.now() - movedAt > patienceMs) {
      const named = left.slice(0, 3).map(nameOf).join(', ')
      throw new Error(
        `${left.length} rows change all the time and could not be compared: ${named}${left.length > 3 ? ' …' : ''}`,
      )
    }
    await delay(PAUSE_MS)
    left = await round(left)
    if (left.length < least) [least, movedAt] = [left.length, performance.now()]
  }
}
