/**
 * How many records match, remembered until a record changes that could make a difference.
 *
 * A scope is an object and a company (`<object> <company>`). A total is good for as long as no record has changed in any
 * of the scopes that its query looks at; the totals of queries without conditions are kept by the projection itself and
 * are not here.
 */
export interface Totals {
  /** Says how things stand in these scopes. What was counted under another stamp may be out of date. */
  stamp(scopes: readonly string[]): string
  get(query: string, stamp: string): number | undefined
  set(query: string, stamp: string, total: number): void
  /** Records of the scope changed. */
  changed(scope: string): void
}

const MOST = 5_000

export function rememberedTotals(): Totals {
  const totals = new Map<string, { readonly stamp: string; readonly total: number }>()
  const epochs = new Map<string, number>()
  return {
    stamp: (scopes) => scopes.map((scope) => epochs.get(scope) ?? 0).join(),
    get(query, stamp) {
      const entry = totals.get(query)
      return entry?.stamp === stamp ? entry.total : undefined
    },
    set(query, stamp, total) {
      totals.delete(query) // to the young end of the map
      if (totals.size >= MOST) totals.delete(totals.keys().next().value!)
      totals.set(query, { stamp, total })
    },
    changed: (scope) => void epochs.set(scope, (epochs.get(scope) ?? 0) + 1),
  }
}
