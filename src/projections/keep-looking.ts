/** Looking at something far away again and again, which may be gone for a while. */
import { setTimeout as delay } from 'node:timers/promises'

export interface KeepLookingOptions {
  readonly look: () => Promise<void>
  /** Called once for each time that looking fails, however many looks it fails for. */
  readonly onAway: (error: unknown) => void
  /** Between the end of a look and the next. */
  readonly everyMs: number
  /** The same while it fails; `everyMs` if not given. */
  readonly awayMs?: number
  readonly signal: AbortSignal
}

/** Looks until it is aborted; resolves once the last look is over. */
export async function keepLooking({ look, onAway, everyMs, awayMs, signal }: KeepLookingOptions) {
  let isAway = false
  while (!signal.aborted) {
    try {
      await look()
      isAway = false
    } catch (error) {
      if (!isAway && !signal.aborted) onAway(error)
      isAway = true
    }
    const ms = isAway ? (awayMs ?? everyMs) : everyMs
    await delay(ms, undefined, { signal, ref: false }).catch(() => {})
  }
}
