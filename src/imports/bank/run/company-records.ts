/** Reading all records of an object by pages, as the service itself. */
import type { Company } from '../../../domain/events/event.ts'
import { Unavailable } from '../../../domain/errors.ts'
import { parseFilter } from '../../../domain/filter/parse.ts'
import { parseSort } from '../../../domain/query/sort.ts'
import type { Fields } from '../../../domain/json.ts'
import type { Definitions } from '../../../domain/definition.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { ReadModels } from '../../../ports/read-models.ts'

const AT_ONCE = 500
const LONGEST_WAIT_MS = 30_000

export interface FoundRecord {
  readonly key: string
  readonly version: number
  /** As served: lookups are `{Id, …}`. */
  readonly fields: Fields
}

export interface Reading {
  readonly readModels: ReadModels
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head'>
}

/** Those that fulfil the filter, oldest first. What changes meanwhile may be missed: the caller holds what it decides on. */
export async function* recordsOf(
  { readModels, definitions }: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  object: string,
  filter?: string,
): AsyncGenerator<FoundRecord> {
  const definition = definitions.get(object)
  if (!definition) return
  const sort = parseSort('Id', definition, definitions)
  for (let after: string | undefined; ;) {
    const texts = [...(filter === undefined ? [] : [`(${filter})`]), ...(after ? [`Id gt '${after}'`] : [])]
    const asked = texts.length > 0 && { filter: parseFilter(texts.join(' and '), definition, definitions) }
    const query = { object, ...asked, sort, offset: 0, limit: AT_ONCE, expand: [] }
    const { records } = await readModels.list(company, query)
    for (const { key, version, json } of records) yield { key, version, fields: JSON.parse(json) as Fields }
    if (records.length < AT_ONCE) return
    after = records.at(-1)!.key
  }
}

/** Waits until everything that is stored by now can be read. @throws Unavailable when that takes too long */
export async function caughtUp({
  readModels,
  events,
}: Pick<Reading, 'readModels' | 'events'>): Promise<void> {
  if (await readModels.reached(await events.head(), LONGEST_WAIT_MS)) return
  throw new Unavailable('the read models lag too far behind')
}

/** The Key that a lookup shows. */
export function keyIn(fields: Fields, name: string): string | undefined {
  const shown = fields[name]
  return shown && typeof shown === 'object' ? (shown as { Id?: string }).Id : undefined
}
