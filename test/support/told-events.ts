/**
 * What happened to the records of a company, told as events into an event file, and remembered: so that a test can say what
 * any record was at any position, without asking what it tests.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { EventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { recordDocument } from '../../src/domain/records/document.ts'
import type { Company, EventMetadata, Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { Resolve } from '../../src/domain/filter/evaluate.ts'
import type { Fields } from '../../src/domain/json.ts'
import { keyOf, objectOfKey, uuid7 } from '../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'
import { streamOf } from '../../src/domain/events/stream-name.ts'
import { ENVELOPE } from '../../src/domain/events/upcast.ts'
import { writtenText } from '../../src/domain/events/written-text.ts'

export interface ToldEvents {
  readonly company: Company
  /** Answers the new record's Key. Positions and Keys are in the order of creation. */
  create(object: string, fields: Fields): string
  change(key: string, fields: Fields): void
  remove(key: string): void
  restore(key: string): void
  readonly events: readonly RecordedEvent[]
  /** What was, after the event at that position. */
  at(position: Position): Past
}

export interface Past {
  stateOf(key: string): RecordState
  /** As it was served; also of a deleted record. */
  served(key: string): Fields
  /** All that were not deleted, in the order of creation. */
  live(object: string): Fields[]
  readonly resolve: Resolve
}

const BEGIN = Date.UTC(2026, 0, 31, 10)
let keys = 0

export function newKey(object: string): string {
  return keyOf(object, uuid7(BEGIN + ++keys, randomBytes(10)))
}

export interface ToldEventsOf {
  readonly log: Pick<EventLog, 'append'>
  readonly definitions: Definitions
  readonly company?: Company
}

export function toldEvents({ log, definitions, company = newKey('company') }: ToldEventsOf): ToldEvents {
  const events: RecordedEvent[] = []
  const versions = new Map<string, number>()

  const tell = (stream: string, action: string, data: Fields) => {
    const expected = versions.get(stream) ?? 0
    // Two events in a second: times that are equal to the second are common.
    const at = new Date(BEGIN + (events.length + 1) * 500).toISOString()
    const metadata: EventMetadata = {
      company,
      actor: 'user-1',
      envelope: ENVELOPE,
      at,
      recordedAt: at,
      $correlationId: randomUUID(),
      command: 'test',
      source: 'api',
      schema: 1,
    }
    const event = { id: randomUUID(), type: `${objectOfKey(stream)!}.${action}`, data, metadata }
    const packed = { ...event, ...writtenText(event) }
    const [outcome] = log.append([{ company, stream: streamOf(company, stream), expected, events: [packed] }])
    if (!outcome || 'conflict' in outcome) throw new Error(`${stream} is not at ${expected}`)
    versions.set(stream, outcome.version)
    events.push({ ...event, stream, ...outcome })
  }

  return {
    company,
    events,
    at: (position) => pastAt(definitions, events, position),
    create(object, fields) {
      const key = newKey(object)
      tell(key, 'created', fields)
      return key
    },
    change: (key, fields) => tell(key, 'updated', fields),
    remove: (key) => tell(key, 'deleted', {}),
    restore: (key) => tell(key, 'restored', {}),
  }
}

/** What was, by the events of a company, after the event at that position. */
export function pastAt(definitions: Definitions, events: readonly RecordedEvent[], position: Position): Past {
  const states = new Map<string, RecordState>()
  for (const event of events)
    if (event.position <= position)
      states.set(event.stream, evolve(states.get(event.stream) ?? absent, event))
  const stateOf = (key: string) => states.get(key) ?? absent
  const served = (key: string) => {
    const { fields, createdAt, modifiedAt } = stateOf(key)
    return recordDocument({
      definition: definitions.get(objectOfKey(key)!)!,
      definitions,
      key,
      fields,
      createdAt,
      modifiedAt,
      displayOf: (object, target) => stateOf(target).fields[definitions.get(object)!.display] ?? null,
    })
  }
  return {
    stateOf,
    served,
    live: (object) =>
      [...states]
        .filter(([key, { status }]) => status === 'live' && objectOfKey(key) === object)
        .map(([key]) => served(key)),
    resolve: (_object, key) => (stateOf(key).status === 'live' ? served(key) : undefined),
  }
}
