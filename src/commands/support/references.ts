/** Lookups point to records that are there: of the right object and company, and not deleted. */
import {
  fieldOf,
  lookupsTo,
  targetOf,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import { Conflict, Invalid, type Fault } from '../../domain/errors.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { allOf } from '../../domain/filter/combine.ts'
import { shows, type Sight } from '../../domain/grant.ts'
import type { Fields } from '../../domain/json.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Caller } from '../command.ts'
import type { RecordStates } from './record-states.ts'
import type { JudgeRecord } from '../../rights/judge-record.ts'
import { readableOn, readableRows } from '../../rights/reach.ts'

/** Keys that the body may look up, wherever it names a lookup field: for locks, before anything is checked. */
export function lookedUp(definition: ObjectDefinition, fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null) return []
  const keys: string[] = []
  for (const { name } of lookupsOf(definition)) {
    const key = Object.hasOwn(fields, name) ? (fields as Fields)[name] : undefined
    if (typeof key === 'string') keys.push(key)
  }
  return keys
}

/** The lookup fields of a definition, found once: every row of a batch asks for them. */
const lookups = new WeakMap<ObjectDefinition, readonly FieldDefinition[]>()

function lookupsOf(definition: ObjectDefinition): readonly FieldDefinition[] {
  let found = lookups.get(definition)
  if (!found) lookups.set(definition, (found = definition.fields.filter(({ type }) => type === 'lookup')))
  return found
}

/** The record that is being restored. It may look itself up, and what it looks up is named only where it may be seen. */
export interface Restoring {
  readonly key: string
  readonly sight: Sight
}

export interface JudgeReferences extends JudgeRecord {
  readonly states: Pick<RecordStates, 'load' | 'peek'>
}

/** @throws Invalid naming each lookup field whose record cannot be looked up, or is not one that the caller may read */
export async function checkReferences(
  judge: JudgeReferences,
  caller: Caller,
  definition: ObjectDefinition,
  changes: Fields,
  restoring?: Restoring,
): Promise<void> {
  const looked: { readonly field: FieldDefinition; readonly key: string }[] = []
  for (const field of lookupsOf(definition)) {
    const key = changes[field.name]
    if (typeof key !== 'string' || key === restoring?.key) continue
    if (!isAtHand(judge, caller, targetOf(judge.definitions, field), key)) looked.push({ field, key })
  }
  if (looked.length === 0) return
  const there = await Promise.all(
    looked.map(async ({ field, key }) => {
      const { company } = caller
      const state = await judge.states.load(company, key)
      const target = targetOf(judge.definitions, field)
      if (state.status !== 'live') return false
      return (await readableOn(judge, caller, { company, definition: target, key, state })) !== undefined
    }),
  )
  const faults = looked
    .filter((_, i) => !there[i])
    .map(({ field: { name, target }, key }): Fault => {
      const isShown = !restoring || shows(restoring.sight, name)
      return { Field: name, Message: `there is no ${target}${isShown ? ` ${key}` : ' that it looks up'}` }
    })
  if (faults.length > 0) throw new Invalid('a record that is looked up is not there', faults)
}

/** Whether it is known without asking that the record is there and that the caller may read all of its object. */
function isAtHand(
  { states }: JudgeReferences,
  { company, reads }: Caller,
  { object }: ObjectDefinition,
  key: string,
): boolean {
  const grant = reads ? reads(object) : {}
  return grant !== undefined && !grant.shares && states.peek(company, key)?.status === 'live'
}

const NAMED = 5

export interface Referrers {
  readonly readModels: Pick<ReadModels, 'list'>
  readonly definitions: Definitions
}

/** @throws Conflict naming records that look this one up, of those that the caller may read */
export async function checkNoReferrers(
  { readModels, definitions }: Referrers,
  caller: Caller,
  target: ObjectDefinition,
  key: string,
): Promise<void> {
  const faults: Fault[] = []
  for (const { definition, field } of lookupsTo(definitions, target.object)) {
    const { object } = definition
    const list = (filter: Filter | undefined) =>
      readModels.list(caller.company, {
        object,
        ...(filter && { filter }),
        sort: [],
        offset: 0,
        limit: NAMED,
        expand: [],
      })
    const filter = isOtherThan(key, definition, field)
    const all = await list(filter)
    if (all.total === 0) continue
    const rows = readableRows(caller, object, field.name)
    const { records, total } = rows ? await list(allOf([filter, rows])) : all
    const named = records.map((record) => record.key)
    if (total > named.length) named.push(`${total - named.length} more`)
    if (all.total > total) named.push('records that are not shown to you')
    const last = named.pop()!
    const keys = named.length > 0 ? `${named.join(', ')} and ${last}` : last
    faults.push({ Field: `${object}.${field.name}`, Message: `is looked up by ${keys}` })
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
