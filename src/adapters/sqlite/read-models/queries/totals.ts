/**
 * How many records match, remembered through changes: what a change did to a record says whether it adds to a total or
 * takes from it, so that a count over a million records is made once.
 *
 * A scope is an object and a company (`<object> <company>`). A total is brought up to date when it is asked for, by the
 * changes of its scope since it was counted. Where these are not known one by one (bulk imports, renamed lookups), or the
 * filter looks at other records, it is counted again. Totals without conditions are kept by the projection itself.
 */
import type { Position } from '../../../../domain/events/event.ts'
import type { Fields } from '../../../../domain/json.ts'
import { recentlyUsed } from '../../../../domain/recently-used.ts'

/** What a write made of a record: its document before and after, as text; null where it was not there, or deleted. */
export interface Change {
  readonly position: Position
  readonly before: string | null
  readonly after: string | null
}

/** A query as it is counted. */
export interface Counted {
  /** Distinguishes it from all others. */
  readonly id: string
  readonly scope: string
  /** Scopes whose records decide, too: what changes there, or here, makes the total unknown. */
  readonly others: readonly string[]
  /** Whether a record, by its document, is among those counted. */
  readonly holds: (document: Fields) => boolean
}

export interface Totals {
  /** The number now; undefined: it has to be counted. */
  get(counted: Counted): number | undefined
  /** To be taken before counting, and handed in with what was counted. */
  stamp(counted: Counted): string
  /** What was counted in a state of the file, with the position of that state. */
  set(counted: Counted, stamp: string, position: Position, total: number): void
  /** Records of the scope changed, in order of position. */
  changed(scope: string, changes: readonly Change[]): void
  /** Records of the scope changed, and nobody says how. */
  shaken(scope: string): void
}

interface Remembered {
  readonly stamp: string
  total: number
  position: Position
}

interface Logged extends Change {
  readonly documents: { before?: Fields; after?: Fields }
}

interface Log {
  readonly changes: Logged[]
  characters: number
  /** Changes up to here are forgotten. */
  from: Position
}

const MOST_TOTALS = 5_000
const MOST_CHANGES = 1_000
const MOST_CHARACTERS = 4_000_000
const MOST_LOGS = 20

export function rememberedTotals(): Totals {
  const totals = recentlyUsed<Remembered>(MOST_TOTALS)
  const logs = new Map<string, Log>()
  const shakes = new Map<string, number>()
  const changes = new Map<string, number>()
  const count = (counts: Map<string, number>, scope: string) =>
    counts.set(scope, (counts.get(scope) ?? 0) + 1)

  const stamp = ({ scope, others }: Counted) => {
    const changing = others.length > 0 ? [scope, ...others] : []
    return [shakes.get(scope) ?? 0, ...changing.map((one) => changes.get(one) ?? 0)].join()
  }

  const forget = (scope: string) => {
    logs.delete(scope)
    count(shakes, scope)
  }

  return {
    stamp,
    get(counted) {
      const entry = totals.get(counted.id)
      if (!entry || entry.stamp !== stamp(counted)) return undefined
      const log = logs.get(counted.scope)
      const last = log?.changes.at(-1)
      if (!log || !last || last.position <= entry.position) return entry.total
      if (log.from > entry.position) return undefined
      for (const change of since(log.changes, entry.position)) {
        if (change.after !== null && counted.holds(documentOf(change, 'after'))) entry.total++
        if (change.before !== null && counted.holds(documentOf(change, 'before'))) entry.total--
      }
      entry.position = last.position
      return entry.total
    },
    set(counted, before, position, total) {
      totals.set(counted.id, { stamp: before, position, total })
    },
    changed(scope, changed) {
      count(changes, scope)
      let log = logs.get(scope)
      if (!log) {
        if (logs.size >= MOST_LOGS) forget(logs.keys().next().value!)
        logs.set(scope, (log = { changes: [], characters: 0, from: 0 }))
      }
      for (const change of changed) {
        log.changes.push({ ...change, documents: {} })
        log.characters += sizeOf(change)
      }
      while (log.changes.length > MOST_CHANGES || log.characters > MOST_CHARACTERS) {
        const gone = log.changes.shift()!
        log.characters -= sizeOf(gone)
        log.from = gone.position
      }
    },
    shaken(scope) {
      count(changes, scope)
      forget(scope)
    },
  }
}

/** The changes after a position: they are few, and at the end. */
function since(changes: readonly Logged[], position: Position): readonly Logged[] {
  let first = changes.length
  while (first > 0 && changes[first - 1]!.position > position) first--
  return changes.slice(first)
}

/** Parsed once for all totals that ask. */
function documentOf(change: Logged, side: 'before' | 'after'): Fields {
  return (change.documents[side] ??= JSON.parse(change[side]!) as Fields)
}

function sizeOf({ before, after }: Change): number {
  return (before?.length ?? 0) + (after?.length ?? 0)
}
