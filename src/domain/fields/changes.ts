/**
 * From a request's body to the fields that change, with every fault found on the way.
 *
 * Names are matched exactly; a name the definition does not have, and one that only the service assigns, are faults
 * (docs/open-facts.md 39). Nothing is coerced.
 */
import { fieldOf, type FieldDefinition, type ObjectDefinition } from '../definition.ts'
import { lastDayOfSpan } from './dates.ts'
import { meantName } from '../filter/closest-name.ts'
import { Invalid, MOST_FAULTS, type Fault } from '../errors.ts'
import { shows, type Sight } from '../grant.ts'
import { readValue } from './field-values.ts'
import { ValueFault } from './types/rules.ts'
import { isObject, type Fields, type Json } from '../json.ts'
import { mergeFields } from '../records/record.ts'

/** PUT replaces the values of the fields sent; PATCH merges money and json values as RFC 7396 does (docs/open-facts.md 10). */
export type Writing = 'replace' | 'merge'

export interface ChangesOf {
  readonly definition: ObjectDefinition
  readonly body: Json
  readonly writing: Writing
  readonly current: Fields
  /** The fields that the caller may write; absent: all. */
  readonly writable?: Sight | undefined
}

export interface Changes {
  /** Canonical values by name; null clears. */
  readonly changes: Fields
  readonly faults: readonly Fault[]
}

/** @throws Invalid when the body is not an object, or has more faults than are reported: the rest is not looked at */
export function readChanges({ definition, body, writing, current, writable = 'all' }: ChangesOf): Changes {
  if (!isObject(body))
    throw new Invalid('The body must be a JSON object.', [{ Field: '', Message: 'must be a JSON object' }])
  const changes: Record<string, Json> = {}
  const faults: Fault[] = []
  for (const name of Object.keys(body)) {
    if (faults.length > MOST_FAULTS) throw new Invalid(`The ${definition.object} is not valid.`, faults)
    const field = fieldOf(definition, name)
    const sent = body[name] as Json
    if (!field) faults.push(unknownField(definition, name))
    else if (field.readOnly) faults.push({ Field: name, Message: 'is assigned by the service' })
    else if (!shows(writable, name))
      faults.push({ Field: name, Message: 'is not a field that you may write' })
    else if (sent === null && name === definition.workflow?.field)
      faults.push({ Field: name, Message: 'always has a value' })
    else if (sent === null) changes[name] = null
    else {
      const value = readValue(field, writing === 'merge' ? merged(field, current[name], sent) : sent)
      if (value instanceof ValueFault) faults.push({ Field: name, Message: value.message })
      else changes[name] = value
    }
  }
  return { changes, faults }
}

function unknownField({ object, fields }: ObjectDefinition, name: string): Fault {
  const meant = meantName(
    name,
    fields.map((field) => field.name),
  )
  return { Field: name.slice(0, 100), Message: `${object} has no such field${meant}` }
}

function merged(field: FieldDefinition, current: Json | undefined, sent: Json): Json {
  if (field.type === 'money') return mergePatch(current ?? null, sent)
  // What cannot be stored is not merged either: the reader then says what is wrong with it.
  const mergeable = field.type === 'json' && !(readValue(field, sent) instanceof ValueFault)
  return mergeable ? mergePatch(current ?? null, sent) : sent
}

/** RFC 7396. The API has bounded the depth. */
function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: Record<string, Json> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name] ?? null, value)
  }
  return result
}

/** The changes with what follows from them: derived dates, where none was sent. */
export function withDerived(definition: ObjectDefinition, current: Fields, changes: Fields): Fields {
  let all = changes
  for (const field of definition.fields) {
    if (!field.derived || field.name in changes) continue
    if (!(field.derived.from in changes || field.derived.months in changes)) continue
    const before = derivedValue(field, current)
    const value = derivedValue(field, mergeFields(current, changes))
    // A date that was sent stays; a derived one follows its sources.
    const follows = current[field.name] === undefined || current[field.name] === before
    // Without its sources it is cleared.
    if (follows && value !== before) all = { ...all, [field.name]: value ?? null }
  }
  return all
}

function derivedValue(field: FieldDefinition, fields: Fields): string | undefined {
  const from = fields[field.derived?.from ?? '']
  const months = fields[field.derived?.months ?? '']
  return typeof from === 'string' && typeof months === 'number' ? lastDayOfSpan(from, months) : undefined
}

export interface Rules {
  readonly definition: ObjectDefinition
  /** Undefined on create. */
  readonly before: Fields | undefined
  readonly after: Fields
  /** The day of the create (UTC), for `afterTodayOnCreate`; undefined when that rule does not apply. */
  readonly today?: string | undefined
}

/** Text of blanks alone does not count as a value where one is required. */
function isMissing(value: Json | undefined): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '')
}

/** Rules for the whole record after a write. Only fields that the write touches can violate them. */
export function ruleFaults({ definition, before, after, today }: Rules): Fault[] {
  const faults: Fault[] = []
  const touched = (name: string) => !before || before[name] !== after[name]
  for (const field of definition.fields) {
    const value = after[field.name]
    if (field.required && !field.readOnly && isMissing(value) && touched(field.name))
      faults.push({ Field: field.name, Message: 'is required' })
    if (today && field.afterTodayOnCreate && typeof value === 'string' && value <= today)
      faults.push({ Field: field.name, Message: `must be in the future (after ${today})` })
    const other = field.notBefore ? after[field.notBefore] : undefined
    const early = typeof value === 'string' && typeof other === 'string' && value < other
    if (early && (touched(field.name) || touched(field.notBefore ?? '')))
      faults.push({ Field: field.name, Message: `must not be before ${field.notBefore}` })
  }
  return faults
}
