/** What changed in the read models since they were last read, as far as it is worth listing record by record. */
import type { RecordChanges } from '../events/engine-messages.ts'
import type { Change } from './queries/totals.ts'

export interface ChangeList {
  /** `n`: the number of the record. */
  add(scope: string, n: number, change: Change): void
  /** A record changed, which is not listed. */
  shake(scope: string, n: number): void
  /** What was added may not have come to be. */
  spoil(): void
  /** What was added since the last call. */
  take(): RecordChanges
}

interface Scope {
  listed: Change[] | null
  readonly rows: number[]
}

/** More than this at once is a bulk import: listing each record would cost more than counting again. */
const MOST_CHANGES = 200
const MOST_CHARACTERS = 1_000_000

export function changeList(): ChangeList {
  let scopes = new Map<string, Scope>()
  let changes = 0
  let characters = 0

  const changed = (name: string, n: number): Scope => {
    let scope = scopes.get(name)
    if (!scope) scopes.set(name, (scope = { listed: [], rows: [] }))
    scope.rows.push(n)
    return scope
  }

  return {
    add(name, n, change) {
      const scope = changed(name, n)
      if (!scope.listed) return
      characters += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      if (++changes > MOST_CHANGES || characters > MOST_CHARACTERS) scope.listed = null
      else scope.listed.push(change)
    },
    shake(name, n) {
      changed(name, n).listed = null
    },
    spoil() {
      for (const scope of scopes.values()) scope.listed = null
    },
    take() {
      const taken = scopes
      scopes = new Map()
      changes = characters = 0
      return taken
    },
  }
}
