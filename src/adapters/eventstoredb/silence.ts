/**
 * Notices a subscription that has gone silent. The server does not end one when its node loses the lead or is cut off from
 * the others, so silence means that nothing happened only if the leader's log has not grown either.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Position } from '../../domain/events/event.ts'

/** Rests for so many ms, or until the signal is aborted. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

export const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})

export interface Watched {
  /** Grows with everything that the server says on the subscription. */
  readonly heard: () => number
  /** The last position received. */
  readonly reached: () => Position
  /** The end of the leader's log; when the leader cannot be asked, finding another one is up to this call. */
  readonly head: () => Promise<Position>
  readonly pause: Pause
}

/** How long nothing must have been heard before the leader is asked, and then how long what it has may take to come. */
const LOOK_MS = 1_000
const SILENCE_MS = 2_000

/** Resolves with true when events were there for `SILENCE_MS` and nothing came; with false when `over` is aborted. */
export async function goesSilent(
  { heard, reached, head, pause }: Watched,
  over: AbortSignal,
): Promise<boolean> {
  while (!over.aborted) {
    const before = heard()
    await pause(LOOK_MS, over)
    if (over.aborted || heard() !== before) continue
    const end = await head().catch(() => 0)
    if (over.aborted || end <= reached()) continue
    await pause(SILENCE_MS, over)
    if (!over.aborted && heard() === before && reached() < end) return true
  }
  return false
}
