/**
 * Answers that carry records. The read model keeps each record as the text that is served, so most answers are put
 * together from text without parsing it.
 */
import type { Response } from 'express'
import type { Written } from '../../commands/support/record-appends.ts'
import {
  listedUnder,
  withoutSecrets,
  type Definitions,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import { expandLookups, recordDocument } from '../../domain/records/document.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { narrowRecords, type Narrowing, type ShownRecord } from '../../rights/narrow-records.ts'
import type { Page, ReadModels } from '../../ports/read-models.ts'
import { writtenAt } from '../http/at-least.ts'
import { etagOf } from '../http/conditional.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { withoutAssigned } from './dry-run.ts'
import type { ListRequest } from './list-query.ts'
import { narrowingOf } from './narrowed.ts'

/** The List wrapper (docs/interface.md#wrappers) around the JSON texts of records. */
export function listAnswer(
  data: readonly string[],
  { total }: Pick<Page, 'total'>,
  { page, pageSize }: Pick<ListRequest, 'page' | 'pageSize'>,
): string {
  const pages = Math.ceil(total / pageSize)
  return `{"Success":true,"Data":[${data.join(',')}],"Pagination":{"Page":${page},"PageSize":${pageSize},"TotalRecords":${total},"TotalPages":${pages}}}`
}

export interface Shown {
  /** Names of fields to include; undefined: all. */
  readonly fields?: readonly string[] | undefined
  /** Names of lookup fields that are expanded. */
  readonly expand?: readonly string[] | undefined
}

/** The texts of records as the principal may see them; undefined for those that are not there for them. */
export async function shownRecords(
  narrowing: Narrowing,
  { object, fields: all }: ObjectDefinition,
  records: readonly ShownRecord[],
  { fields, expand = [] }: Shown = {},
): Promise<(string | undefined)[]> {
  const { view } = narrowing
  const targets = expand.map((name) => all.find((field) => field.name === name)?.target ?? '')
  if (view.isWhole(object) && targets.every(view.isWhole))
    return records.map(({ json, expanded }) => shaped(json, expanded, fields))
  const narrowed = await narrowRecords(narrowing, object, records)
  return narrowed.map((record) => record && JSON.stringify(fields ? picked(record, fields) : record))
}

/** A record's text with lookups expanded and only the fields asked for. */
export function shaped(
  json: string,
  expanded: Readonly<Record<string, string>> | undefined,
  fields: readonly string[] | undefined,
): string {
  const whole = expanded ? expandLookups(json, expanded) : json
  if (!fields) return whole
  return JSON.stringify(picked(JSON.parse(whole) as Fields, fields))
}

function picked(record: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name] ?? null]),
  )
}

export interface WrittenAnswers {
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
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
  { definitions, readModels, positions, readYourWritesMs }: WrittenAnswers,
  company: Company,
  definition: ObjectDefinition,
  { key, state, position, unchanged, judgedOnly }: Written,
): Promise<WrittenRecord> {
  const seen = !judgedOnly && (await readModels.reached(position, readYourWritesMs))
  const headers = {
    ETag: etagOf(state.version),
    ...(!unchanged && { 'Daybook-Position': writtenAt(positions, company, position) }),
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

/** The same as the principal may see it: no more than its Id, when it is not theirs to read. */
export async function shownWritten(
  routes: WrittenAnswers,
  response: Response,
  definition: ObjectDefinition,
  written: Written,
): Promise<WrittenRecord> {
  const narrowing = narrowingOf(routes, response)
  const { json, headers } = await writtenRecord(routes, narrowing.company, definition, written)
  const [shown = JSON.stringify({ Id: written.key })] = await shownRecords(narrowing, definition, [{ json }])
  return { json: written.judgedOnly ? withoutAssigned(definition, written, shown) : shown, headers }
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
