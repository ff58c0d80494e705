/**
 * How many records match, remembered until a record of that object and company changes.
 *
 * A total is worked out again only when something changed since; the totals without any filter are kept by the
 * projection itself and are not here.
 */
export interface Totals {
  get(scope: string, query: string): number | undefined
  /** Changes whenever a record of the scope does: what was counted before is then not to be remembered. */
  epoch(scope: string): number
  set(scope: string, query: string, total: number, epoch: number): void
  /** Records of the scope (`<object> <company>`) changed. */
  forget(scope: string): void
}

const PER_SCOPE = 1_000

export function rememberedTotals(): Totals {
  const scopes = new Map<string, Map<string, number>>()
  const epochs = new Map<string, number>()
  const epoch = (scope: string) => epochs.get(scope) ?? 0
  return {
    get: (scope, query) => scopes.get(scope)?.get(query),
    epoch,
    set(scope, query, total, countedIn) {
      if (countedIn !== epoch(scope)) return
      let totals = scopes.get(scope)
      if (!totals || totals.size >= PER_SCOPE) scopes.set(scope, (totals = new Map<string, number>()))
      totals.set(query, total)
    },
    forget(scope) {
      scopes.delete(scope)
      epochs.set(scope, epoch(scope) + 1)
    },
  }
}
