/**
 * How many records match, remembered for as long as no record changes.
 *
 * The checkpoint's stamp says whether one did (`checkpoint.ts`). What is counted while a batch is being written is
 * remembered under the stamp before it, and so only until that batch is done.
 */
export interface Totals {
  /** The total of the query at that stamp; counted by `count` unless it is known. */
  of(query: string, stamp: number, count: () => Promise<number>): Promise<number>
}

const MOST = 1_000
const LONGEST_QUERY = 4_000

export function rememberedTotals(): Totals {
  let current = -1
  let totals = new Map<string, Promise<number>>()
  return {
    of(query, stamp, count) {
      if (stamp < current || query.length > LONGEST_QUERY) return count()
      if (stamp > current || totals.size >= MOST) totals = new Map()
      current = stamp
      let total = totals.get(query)
      if (!total) {
        const remembered = totals
        total = count()
        remembered.set(query, total)
        total.catch(() => remembered.delete(query))
      }
      return total
    },
  }
}
