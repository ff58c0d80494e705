/** The history of a record: the values before and after each event. Secrets of internal objects are left out. */
import { withoutSecrets, type ObjectDefinition } from '../definition.ts'
import type { RecordedEvent } from '../events/event.ts'
import type { Fields, Json } from '../json.ts'
import { absent, evolve, happeningOf, type RecordState } from './record.ts'

export interface HistoryEntry {
  readonly event: RecordedEvent
  readonly before: RecordState
  readonly after: RecordState
  /** Canonical values by field; null: none. */
  readonly changes: { readonly [field: string]: { readonly from: Json; readonly to: Json } }
}

/** One entry for each of the record's events from `first` on (the place among all of them, from 0), before `end`. */
export function historyOf(
  definition: ObjectDefinition,
  events: readonly RecordedEvent[],
  first = 0,
  end = events.length,
): HistoryEntry[] {
  let state: RecordState = absent
  const entries: HistoryEntry[] = []
  for (const [place, event] of events.slice(0, end).entries()) {
    const before = state
    state = evolve(before, event)
    if (place < first) continue
    entries.push({ event, before, after: state, changes: changesOf(definition, before.fields, event) })
  }
  return entries
}

function changesOf(definition: ObjectDefinition, before: Fields, { type, data }: RecordedEvent) {
  const happening = happeningOf(type)
  if (happening === 'deleted' || happening === 'restored') return {}
  const shown = Object.entries(withoutSecrets(definition, data))
  return Object.fromEntries(shown.map(([name, to]) => [name, { from: before[name] ?? null, to }]))
}
