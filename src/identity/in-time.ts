/** How long a request waits to be told who asks: with the store gone it is refused soon, never let in. */
import { boundedWait } from '../domain/bounded-wait.ts'

export const STORE_TIMEOUT_MS = 2_000

/** @throws Unavailable when the work takes longer than `ms` */
export function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  return boundedWait(ms, work, 'who asks cannot be told now')
}
