/** What tags stand for: values of a record and of what it looks up, as people of a locale write them. */
import type { Definitions, FieldType, ObjectDefinition } from '../../domain/definition.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { STANDARD_FIELDS } from '../../domain/definition.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { resolveTag } from './tags.ts'

export interface TagValues {
  readonly definition: ObjectDefinition
  readonly definitions: Definitions
  readonly key: string
  readonly state: RecordState
  /** The state of a record that is looked up, and whether it may be shown; undefined: it is not shown. */
  readonly stateOf: (object: string, key: string) => Promise<RecordState | undefined>
  /** Whether a field of the record with this Key may be shown. */
  readonly shows?: (key: string, field: string) => boolean
  readonly locale: string
  readonly zone: string
}

export interface Filled {
  readonly values: ReadonlyMap<string, string>
  /** Tags without a value. */
  readonly missing: readonly string[]
}

export async function valuesOf(paths: Iterable<string>, of: TagValues): Promise<Filled> {
  const values = new Map<string, string>()
  const missing: string[] = []
  for (const path of new Set(paths)) {
    const value = await valueOf(path, of)
    values.set(path, value ?? '')
    if (value === undefined || value === '') missing.push(path)
  }
  return { values, missing }
}

async function valueOf(path: string, of: TagValues): Promise<string | undefined> {
  const resolved = resolveTag(path, of.definition, of.definitions)
  if ('fault' in resolved) return undefined
  const names = path.split('.')
  if (resolved.part !== undefined) names.pop()
  let [on, key, state] = [of.definition, of.key, of.state]
  for (const name of names.slice(0, -1)) {
    if (of.shows && !of.shows(key, name)) return undefined
    const target = on.fields.find((field) => field.name === name)?.target ?? ''
    const looked = state.fields[name]
    if (typeof looked !== 'string') return undefined
    const found = await of.stateOf(target, looked)
    if (!found || found.status !== 'live') return undefined
    ;[on, key, state] = [of.definitions.get(target)!, looked, found]
  }
  const name = names.at(-1)!
  if (of.shows && !of.shows(key, name)) return undefined
  const field = resolved.field
  const value = STANDARD_FIELDS.includes(field) ? standardValue(name, key, state) : state.fields[name]
  if (value === undefined || value === null) return undefined
  if (field.type === 'lookup') {
    const target = of.definitions.get(field.target ?? '')
    const found = target && (await of.stateOf(target.object, value as string))
    const shown = found && found.fields[target.display]
    return typeof shown === 'string' ? shown : undefined
  }
  const part = resolved.part === undefined ? value : ((value as Fields)[resolved.part] ?? null)
  return shownAs(resolved.part === undefined ? field.type : 'text', part, of)
}

function standardValue(name: string, key: string, state: RecordState): string {
  return name === 'Id' ? key : secondsOf(name === 'CreatedAt' ? state.createdAt : state.modifiedAt)
}

export function shownAs(
  type: FieldType,
  value: Json,
  { locale, zone }: Pick<TagValues, 'locale' | 'zone'>,
): string {
  if (type === 'money' && isObject(value)) {
    const currency = value['Currency'] as string
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value['Amount'] as number)
  }
  if (type === 'date' && typeof value === 'string')
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(value))
  if (type === 'timestamp' && typeof value === 'string') {
    const style = { dateStyle: 'long', timeStyle: 'short', timeZone: zone } as const
    return new Intl.DateTimeFormat(locale, style).format(Date.parse(value))
  }
  return plainShown(value, locale)
}

export function plainShown(value: Json, locale: string): string {
  if (typeof value === 'number')
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 15 }).format(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
