/** How the broker of hints stands, looked at by one at a time. */
import type { HintsStatus } from '../../ports/hints.ts'

/** How the broker stands, for operators. */
export interface HintsView {
  /** Undefined in a process that neither sends nor has a broker. Never rejects, and answers within a few seconds. */
  status(): Promise<HintsStatus | undefined>
  /** Its state when it was last looked at, and has it looked at again: for those who must not wait. */
  lastState(): HintsStatus['state'] | undefined
}

export function hintsView(look: () => Promise<HintsStatus | undefined>): HintsView {
  let last: HintsStatus | undefined
  let looking: Promise<HintsStatus | undefined> | undefined
  const status = () =>
    (looking ??= look()
      .catch(() => undefined)
      .then((found) => (last = found))
      .finally(() => (looking = undefined)))
  return {
    status,
    lastState() {
      void status()
      return last?.state
    },
  }
}
