/** Allowances in memory, for several limits in one test; proven by the same contract as the adapters. */
import { Unavailable } from '../../src/domain/errors.ts'
import type { Allowances } from '../../src/ports/allowances.ts'

export interface MemoryAllowances {
  /** Like the connection of one more process. */
  open(): Allowances
  /** Whether it answers; at first it does. */
  isThere: boolean
  /** How many times it was asked. */
  readonly asked: number
}

export function memoryAllowances(elapsed: () => number = () => performance.now()): MemoryAllowances {
  const nothingAt = new Map<string, number>()
  let asked = 0
  const place: MemoryAllowances = {
    isThere: true,
    get asked() {
      return asked
    },
    open: () => ({
      async spend(spendings) {
        asked++
        if (!place.isThere) throw new Unavailable('it is gone')
        const now = elapsed()
        return spendings.map(({ key, ms }) => {
          const at = Math.max(nothingAt.get(key) ?? 0, now) + ms
          nothingAt.set(key, at)
          return at - now
        })
      },
      close: async () => {},
    }),
  }
  return place
}
