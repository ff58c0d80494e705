/**
 * Where a record's document holds the values that filters and sorts work on: under `values` as they are served, without
 * those that are null, and under `folded` every text that is compared without regard to case.
 *
 * Names of fields become parts of locations, so they must be plain: nothing that MongoDB reads as an operator or a path.
 */
import { targetOf, type Definitions, type FieldDefinition } from '../../../domain/definition.ts'
import { rulesOfType } from '../../../domain/fields/field-values.ts'
import type { Path } from '../../../domain/filter/ast.ts'

export interface Location {
  /** `values.Tenant.Name` */
  readonly exact: string
  /** `folded.Tenant.Name`, for text. */
  readonly folded?: string
}

const PLAIN = /^[A-Z][A-Za-z0-9]*$/
const PLAIN_OBJECT = /^[a-z][a-z0-9]*$/

/** @throws Error naming an object or field whose name cannot be part of a collection or location */
export function assertPlainNames(definitions: Definitions): void {
  for (const { object, fields } of definitions.values()) {
    if (!PLAIN_OBJECT.test(object)) throw new Error(`the object name ${JSON.stringify(object)} is not plain`)
    for (const { name } of fields)
      if (!PLAIN.test(name))
        throw new Error(`the field name ${JSON.stringify(name)} of ${object} is not plain`)
  }
}

/** Whether `contains` and its like match values of the field. */
export function isFolded(field: FieldDefinition): boolean {
  const isText = field.type === 'choice' || rulesOfType(field).compares === 'text'
  return field.name !== 'Id' && isText
}

/** The location of a path whose value the record's own document holds, with `hops` lookups still to follow. */
export function locationOf(path: Path, hops = path.hops): Location | undefined {
  const { field, part } = path
  const [hop] = hops
  if (hops.length > 1) return undefined
  if (hop) return field.name === path.on.display ? textLocation([hop.lookup.name, field.name]) : undefined
  if (field.type === 'lookup') return { exact: join('values', [field.name, 'Id']) }
  if (field.type !== 'money') {
    return isFolded(field) ? textLocation([field.name]) : { exact: join('values', [field.name]) }
  }
  return part === 'Currency'
    ? textLocation([field.name, 'Currency'])
    : { exact: join('values', [field.name, 'Amount']) }
}

/** Where a record holds the Key of the record that it looks up. */
export function keyLocation(lookup: FieldDefinition): string {
  return join('values', [lookup.name, 'Id'])
}

/** Where a record holds what it shows of the record that it looks up. */
export function shownLocation(definitions: Definitions, lookup: FieldDefinition): string {
  return join('values', [lookup.name, targetOf(definitions, lookup).display])
}

function textLocation(names: readonly string[]): Location {
  return { exact: join('values', names), folded: join('folded', names) }
}

function join(root: 'values' | 'folded', names: readonly string[]): string {
  const strange = names.find((name) => !PLAIN.test(name))
  if (strange !== undefined) throw new Error(`the field name ${JSON.stringify(strange)} is not plain`)
  return [root, ...names].join('.')
}
