/**
 * Records as a principal may see them: without the fields that are not granted and without the names of looked-up records
 * that are not. Expanded lookups follow the same rules.
 */
import { fieldOf, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import type { Company } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { allOf } from '../domain/filter/combine.ts'
import { rowsOf, shows, sightOf, type Sight } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { RecordJudge, type LookUp } from './judge-record.ts'
import type { View } from './view.ts'

export interface Narrowing {
  readonly view: View
  readonly company: Company
  readonly readModels: Pick<ReadModels, 'get' | 'list'>
  /** All fields of all objects. */
  readonly definitions: Definitions
}

/** Looks records up in the read models, each of them once, however many records of an answer refer to it. */
function lookingUp({ readModels, company }: Narrowing): LookUp {
  const known = new Map<string, Promise<Fields | undefined>>()
  const read = async (object: string, key: string): Promise<Fields | undefined> => {
    const found = await readModels.get(company, object, key)
    return found && (JSON.parse(found.json) as Fields)
  }
  return (object, key) => {
    const found = known.get(key) ?? read(object, key)
    known.set(key, found)
    return found
  }
}

/** A record with the full JSON of some of the records that it looks up. */
export interface ShownRecord {
  readonly json: string
  readonly expanded?: { readonly [lookup: string]: string } | undefined
}

/** The records as the principal may see them, in the same order; undefined for those that do not exist for them. */
export async function narrowRecords(
  narrowing: Narrowing,
  object: string,
  records: readonly ShownRecord[],
): Promise<(Fields | undefined)[]> {
  const { view, definitions } = narrowing
  const definition = definitions.get(object)
  if (records.length === 0) return []
  if (!definition) return records.map(() => undefined)
  const granted = view.grant(object)
  const lookUp = lookingUp(narrowing)
  const shown = await Promise.all(
    records.map(async ({ json, expanded }) => {
      const whole = JSON.parse(json) as Fields
      const grant = await new RecordJudge(async () => whole, lookUp).grantOn(granted)
      return grant && { record: onlyShown(whole, sightOf(grant)), expanded }
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
    const named = rows && (await keysFulfilling(narrowing, target, keys, rows))
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

/** The record with only these fields, Id and the other standard fields. */
export function onlyShown(record: Fields, sight: Sight): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => shows(sight, name)))
}

function keyIn(value: Json | undefined): string[] {
  return typeof value === 'object' && value !== null && 'Id' in value ? [value['Id'] as string] : []
}

/** The Keys among these whose records fulfil the filter. */
async function keysFulfilling(
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
