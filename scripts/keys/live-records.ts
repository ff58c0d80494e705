/** Records with unique fields as the events leave them, and which companies have had keys. */
import type { Definitions, ObjectDefinition } from '../../src/domain/definition.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import { requireUnderstood } from '../../src/domain/events/upcast.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'

export interface LiveRecord {
  readonly company: string
  readonly key: string
  readonly definition: ObjectDefinition
  readonly state: RecordState
}

export interface LiveRecords {
  /** By Key, oldest first. */
  readonly records: ReadonlyMap<string, LiveRecord>
  /** Companies whose events say that they have a key. */
  readonly companies: ReadonlySet<string>
  /** Records of which an event cannot be read, and why. */
  readonly unknown: ReadonlyMap<string, string>
}

/** @throws Error for records of an object without a definition */
export async function liveRecords(
  all: AsyncIterable<readonly RecordedEvent[]>,
  definitions: Definitions,
): Promise<LiveRecords> {
  const records = new Map<string, LiveRecord>()
  const companies = new Set<string>()
  const unknown = new Map<string, string>()
  for await (const events of all)
    for (const event of events) {
      const { stream: key, type, metadata } = event
      if (type === 'keys.made') companies.add(metadata.company)
      const object = objectOfKey(key)
      if (object === undefined || object === 'audit') continue
      const definition = definitions.get(object)
      if (!definition)
        throw new Error(`There is no definition of ${object}: set DEFINITIONS_DIR as the service has it.`)
      if (!definition.fields.some(({ unique }) => unique)) continue
      try {
        requireUnderstood(event)
        const state = evolve(records.get(key)?.state ?? absent, event)
        records.set(key, { company: metadata.company, key, definition, state })
      } catch (error) {
        unknown.set(key, (error as Error).message)
      }
    }
  for (const [key, { state }] of records) if (state.status !== 'live' || unknown.has(key)) records.delete(key)
  return { records, companies, unknown }
}
