/**
 * Answers that carry records. The read model keeps each record as the text that is served, so most answers are put
 * together from text without parsing it.
 */
import type { Written } from '../commands/record-appends.ts'
import { listedUnder, withoutSecrets, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { expandLookups, recordDocument } from '../domain/document.ts'
import type { Company } from '../domain/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import type { Page, ReadModels } from '../ports/read-models.ts'
import { etagOf } from './conditional.ts'
import type { ListRequest } from './list-query.ts'

/** The Success list wrapper of specification 2.2. */
export function listAnswer({ records, total }: Page, { page, pageSize, fields }: ListRequest): string {
  const data = records.map(({ json, expanded }) => shaped(json, expanded, fields))
  const pages = Math.ceil(total / pageSize)
  return `{"Success":true,"Data":[${data.join(',')}],"Pagination":{"Page":${page},"PageSize":${pageSize},"TotalRecords":${total},"TotalPages":${pages}}}`
}

/** A record's text with lookups expanded and only the fields asked for. */
export function shaped(
  json: string,
  expanded: Readonly<Record<string, string>> | undefined,
  fields: readonly string[] | undefined,
): string {
  const whole = expanded ? expandLookups(json, expanded) : json
  if (!fields) return whole
  const record = JSON.parse(whole) as Fields
  return JSON.stringify(Object.fromEntries(fields.map((name) => [name, record[name]])))
}

export interface WrittenAnswers {
  readonly definitions: Definitions
  readonly readModels: ReadModels
  /** How long a write waits until it can be read, in ms. */
  readonly readYourWritesMs: number
}

export interface WrittenRecord {
  readonly json: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The record as it is after a write, once it can be read. Past the bound the answer is made from the events alone, and
 * `Daybook-Read-Lag: true` says that reads do not show it yet.
 */
export async function writtenRecord(
  { definitions, readModels, readYourWritesMs }: WrittenAnswers,
  company: Company,
  definition: ObjectDefinition,
  { key, state, position, unchanged }: Written,
): Promise<WrittenRecord> {
  const seen = await readModels.reached(position, readYourWritesMs)
  const headers = {
    ETag: etagOf(state.version),
    ...(!unchanged && { 'Daybook-Position': String(position) }),
    ...(!seen && { 'Daybook-Read-Lag': 'true' }),
  }
  const stored = seen
    ? await readModels.get(listedUnder(definition, company), definition.object, key)
    : undefined
  if (stored?.version === state.version) return { json: stored.json, headers }
  // Reads lag, or the record has changed again since: this write's own outcome is answered all the same.
  const displays = await displaysOf(readModels, company, definitions, definition, state.fields)
  const { createdAt, modifiedAt } = state
  const document = recordDocument({
    definition,
    definitions,
    key,
    fields: withoutSecrets(definition, state.fields),
    createdAt,
    modifiedAt,
    displayOf: (_object, looked) => displays.get(looked) ?? null,
  })
  return { json: JSON.stringify(document), headers }
}

async function displaysOf(
  readModels: ReadModels,
  company: Company,
  definitions: Definitions,
  definition: ObjectDefinition,
  fields: Fields,
): Promise<ReadonlyMap<string, Json>> {
  const displays = new Map<string, Json>()
  for (const { name, type, target = '' } of definition.fields) {
    const key = fields[name]
    if (type !== 'lookup' || typeof key !== 'string') continue
    // A write is acknowledged even when no read model can be asked; its lookups then show no name.
    const stored = await readModels.get(company, target, key).catch(() => undefined)
    const display = definitions.get(target)?.display
    if (stored && display) displays.set(key, (JSON.parse(stored.json) as Fields)[display] ?? null)
  }
  return displays
}
