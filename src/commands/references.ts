/** Lookups point to records that are there: of the right object and company, and not deleted. */
import {
  fieldOf,
  lookupsTo,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../domain/definition.ts'
import { Conflict, Invalid, type Fault } from '../domain/errors.ts'
import type { Company } from '../domain/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import type { Fields } from '../domain/json.ts'
import { objectOfKey } from '../domain/key.ts'
import type { ReadModels } from '../ports/read-models.ts'
import type { RecordStates } from './record-states.ts'

/** Keys that the body may look up, wherever it names a lookup field: for locks, before anything is checked. */
export function lookedUp(definition: ObjectDefinition, fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null) return []
  return definition.fields.flatMap(({ name, type }) => {
    const key = type === 'lookup' && Object.hasOwn(fields, name) ? (fields as Fields)[name] : undefined
    return typeof key === 'string' ? [key] : []
  })
}

/** @throws Invalid naming each lookup field whose record cannot be looked up */
export async function checkReferences(
  states: Pick<RecordStates, 'load'>,
  company: Company,
  definition: ObjectDefinition,
  changes: Fields,
  /** The record that is being restored: it may look itself up. */
  restored?: string,
): Promise<void> {
  const looked = definition.fields.flatMap((field) => {
    const key = field.type === 'lookup' ? changes[field.name] : undefined
    return typeof key === 'string' && key !== restored ? [{ field, key }] : []
  })
  const found = await Promise.all(looked.map(({ key }) => states.load(company, key)))
  const faults = looked
    .filter((_, i) => found[i]!.status !== 'live')
    .map(({ field, key }): Fault => ({ Field: field.name, Message: `there is no ${field.target} ${key}` }))
  if (faults.length > 0) throw new Invalid('a record that is looked up is not there', faults)
}

const NAMED = 5

/** @throws Conflict naming records that look this one up */
export async function checkNoReferrers(
  readModels: Pick<ReadModels, 'list'>,
  definitions: Definitions,
  company: Company,
  target: ObjectDefinition,
  key: string,
): Promise<void> {
  const faults: Fault[] = []
  for (const { definition, field } of lookupsTo(definitions, target.object)) {
    const filter = isOtherThan(key, definition, field)
    const { records, total } = await readModels.list(company, {
      object: definition.object,
      filter,
      sort: [],
      offset: 0,
      limit: NAMED,
      expand: [],
    })
    if (total === 0) continue
    const more = total > records.length ? ` and ${total - records.length} more` : ''
    const keys = records.map((record) => record.key).join(', ')
    faults.push({ Field: `${definition.object}.${field.name}`, Message: `is looked up by ${keys}${more}` })
  }
  if (faults.length > 0) throw new Conflict(`${key} is looked up by other records`, faults)
}

/** Records that look the key up in that field. A record that looks itself up holds nobody from deleting it. */
function isOtherThan(key: string, on: ObjectDefinition, field: FieldDefinition): Filter {
  const compare = (by: 'eq' | 'ne', of: FieldDefinition): Filter => {
    const path = { text: of.name, hops: [], on, field: of, kind: 'exact' } as const
    return { op: 'compare', path, by, value: key, negated: false }
  }
  const looksUp = compare('eq', field)
  return on.object === objectOfKey(key)
    ? { op: 'and', terms: [looksUp, compare('ne', fieldOf(on, 'Id')!)] }
    : looksUp
}
