/**
 * Records as a principal may see them: without the fields that are not granted, without the names of looked-up records
 * that are not, and with the full records of lookups kept to the same rules.
 */
import { fieldOf, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import type { Company } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { allOf } from '../domain/filter/combine.ts'
import { matches } from '../domain/filter/evaluate.ts'
import { fieldsOf, rowsOf, shows, type Sight } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import type { ReadModels } from '../ports/read-models.ts'
import type { View } from './view.ts'

export interface Narrowing {
  readonly view: View
  readonly company: Company
  readonly readModels: Pick<ReadModels, 'get' | 'list'>
  /** All fields of all objects. */
  readonly definitions: Definitions
}

/** What the principal may see of a record, which is given as it is served; undefined: nothing, it is not there for them. */
export async function sightOf(
  narrowing: Narrowing,
  object: string,
  record: Fields,
): Promise<Sight | undefined> {
  const grant = narrowing.view.grant(object)
  if (!grant?.shares) return grant && 'all'
  const shares = []
  for (const share of grant.shares)
    if (!share.rows || (await fulfils(narrowing, share.rows, record))) shares.push(share)
  return shares.length > 0 ? fieldsOf(shares) : undefined
}

/** Asked again until nothing is missing: each turn knows one more step of the longest path. */
async function fulfils({ readModels, company }: Narrowing, filter: Filter, record: Fields): Promise<boolean> {
  const known = new Map<string, Fields | undefined>()
  for (;;) {
    const missing = new Map<string, string>()
    const verdict = matches(filter, record, (object, key) => {
      if (!known.has(key)) missing.set(key, object)
      return known.get(key)
    })
    if (missing.size === 0) return verdict
    for (const [key, object] of missing) {
      const found = await readModels.get(company, object, key)
      known.set(key, found && (JSON.parse(found.json) as Fields))
    }
  }
}

/** A record with the full JSON of some of the records that it looks up. */
export interface ShownRecord {
  readonly json: string
  readonly expanded?: { readonly [lookup: string]: string } | undefined
}

/** The records as they may be shown, in the same order; undefined for those that may not be shown at all. */
export async function narrowRecords(
  narrowing: Narrowing,
  object: string,
  records: readonly ShownRecord[],
): Promise<(Fields | undefined)[]> {
  const { view, definitions } = narrowing
  const definition = definitions.get(object)
  if (records.length === 0) return []
  if (!definition) return records.map(() => undefined)
  const shown = await Promise.all(
    records.map(async ({ json, expanded }) => {
      const whole = JSON.parse(json) as Fields
      const sight = await sightOf(narrowing, object, whole)
      if (!sight) return undefined
      return { record: onlyShown(whole, sight), expanded }
    }),
  )
  const lookups = definition.fields.filter(({ type }) => type === 'lookup')
  for (const { name, target = '' } of lookups) {
    const full = await narrowRecords(
      narrowing,
      target,
      shown.flatMap((one) => (one?.expanded?.[name] === undefined ? [] : [{ json: one.expanded[name] }])),
    )
    const fullByKey = new Map(full.flatMap((one) => (one ? [[one['Id'] as string, one] as const] : [])))
    const display = definitions.get(target)?.display ?? ''
    const rows = rowsOf(view.grant(target), display)
    const keys = shown.flatMap((one) => keyIn(one?.record[name]))
    const named = rows && (await keysOf(narrowing, target, keys, rows))
    for (const one of shown) {
      const value = one?.record[name]
      const [key] = keyIn(value)
      if (!one || key === undefined) continue
      const isNamed = !named || named.has(key)
      const collapsed = isNamed ? value! : { Id: key, [display]: null }
      one.record[name] = (one.expanded?.[name] !== undefined && fullByKey.get(key)) || collapsed
    }
  }
  return shown.map((one) => one?.record)
}

/** Id and the standard fields stay. */
export function onlyShown(record: Fields, sight: Sight): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => shows(sight, name)))
}

function keyIn(value: Json | undefined): string[] {
  return typeof value === 'object' && value !== null && 'Id' in value ? [value['Id'] as string] : []
}

/** Which of the Keys are those of records that fulfil the filter. */
async function keysOf(
  { readModels, company, definitions }: Narrowing,
  object: string,
  keys: readonly string[],
  rows: Filter,
): Promise<ReadonlySet<string>> {
  const values = [...new Set(keys)]
  const definition = definitions.get(object)
  if (values.length === 0 || !definition || rows.op === 'constant') return new Set()
  const filter = allOf([isOneOf(definition, values), rows])!
  const query = { object, filter, sort: [], offset: 0, limit: values.length, expand: [] }
  const { records } = await readModels.list(company, query)
  return new Set(records.map(({ key }) => key))
}

function isOneOf(on: ObjectDefinition, values: readonly string[]): Filter {
  const field = fieldOf(on, 'Id')!
  return { op: 'in', path: { text: 'Id', hops: [], on, field, kind: 'exact' }, values, negated: false }
}
