/** What changed in the read models since they were last read, as far as it is worth listing record by record. */
import type { RecordChanges } from '../events/engine-messages.ts'
import type { Change } from './queries/totals.ts'

export interface ChangeList {
  add(scope: string, change: Change): void
  /** Something changed that is not listed. */
  shake(scope: string): void
  /** What was added may not have come to be. */
  spoil(): void
  /** What was added since the last call. */
  take(): RecordChanges
}

/** More than this at once is a bulk import: listing each record would cost more than counting again. */
const MOST_CHANGES = 200
const MOST_CHARACTERS = 1_000_000

export function changeList(): ChangeList {
  let scopes = new Map<string, Change[] | null>()
  let changes = 0
  let characters = 0
  return {
    add(scope, change) {
      const known = scopes.get(scope)
      if (known === null) return
      characters += (change.before?.length ?? 0) + (change.after?.length ?? 0)
      if (++changes > MOST_CHANGES || characters > MOST_CHARACTERS) scopes.set(scope, null)
      else if (known) known.push(change)
      else scopes.set(scope, [change])
    },
    shake: (scope) => void scopes.set(scope, null),
    spoil() {
      for (const scope of scopes.keys()) scopes.set(scope, null)
    },
    take() {
      const taken = scopes
      scopes = new Map()
      changes = characters = 0
      return taken
    },
  }
}
