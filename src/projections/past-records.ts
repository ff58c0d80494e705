/**
 * Single records as they were: folded from their streams up to a position, with the names that what they look up had then.
 * A read model of that moment is not needed, so this is as quick as the streams are short.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { targetOf, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { recordDocument } from '../domain/records/document.ts'
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import { absent, evolve, type RecordState } from '../domain/records/record.ts'
import type { EventStore } from '../ports/event-store.ts'

/** Reads each stream once. For one request: what it has read does not grow old with it. */
export interface PastRecords {
  /** All events of a record; empty when it is unknown or another company's. */
  eventsOf(key: string): Promise<readonly RecordedEvent[]>
  /** What the record was after the event at that position, or the last one before it. */
  stateAt(key: string, position: Position): Promise<RecordState>
  /** The record as it was served in that state at that position. */
  documentOf(
    definition: ObjectDefinition,
    key: string,
    state: RecordState,
    position: Position,
  ): Promise<Fields>
  /** The display value of a record at a position; null when it had none. */
  displayAt(definition: ObjectDefinition, key: string, position: Position): Promise<Json>
}

export interface PastRecordsOf {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly company: Company
}

/** Events that are folded in one go. */
const AT_ONCE = 1_000

export function pastRecords({ definitions, events, company }: PastRecordsOf): PastRecords {
  const streams = new Map<string, Promise<readonly RecordedEvent[]>>()

  const eventsOf = (key: string) => {
    let stream = streams.get(key)
    if (!stream) streams.set(key, (stream = events.read(company, key)))
    return stream
  }

  const stateAt: PastRecords['stateAt'] = async (key, position) => {
    let state = absent
    for (const [place, event] of (await eventsOf(key)).entries()) {
      if (event.position > position) break
      // A record may have changed a hundred thousand times: others are answered in between.
      if (place % AT_ONCE === AT_ONCE - 1) await breathe()
      state = evolve(state, event)
    }
    return state
  }

  const displayAt: PastRecords['displayAt'] = async ({ display }, key, position) =>
    (await stateAt(key, position)).fields[display] ?? null

  return {
    eventsOf,
    stateAt,
    displayAt,
    async documentOf(definition, key, { fields, createdAt, modifiedAt }, position) {
      const displays = new Map<string, Json>()
      for (const field of definition.fields) {
        const looked = field.type === 'lookup' ? fields[field.name] : undefined
        if (typeof looked === 'string' && !displays.has(looked))
          displays.set(looked, await displayAt(targetOf(definitions, field), looked, position))
      }
      return recordDocument({
        definition,
        definitions,
        key,
        fields,
        createdAt,
        modifiedAt,
        displayOf: (_object, looked) => displays.get(looked) ?? null,
      })
    },
  }
}
