/**
 * What filters and sort keys mean, by plain evaluation of one record after another. Where one record is to be judged
 * (workflow conditions, row filters of writes, webhook filters) this is used; for everything that compiles filters to a query it is the reference in tests. It follows `ast.ts` and knows nothing of indexes or columns.
 */
import { isOfType } from '../fields/field-values.ts'
import { foldedText } from '../fields/folded-text.ts'
import { isObject, type Fields, type Json } from '../json.ts'
import type { SortKey } from '../query/sort.ts'
import type { Comparison, Leaf, Measure, Path, Value } from './ast.ts'
import { holdsWithoutValue } from './combine.ts'
import type { Condition } from './normal-form.ts'

/** The record that a lookup points to, as served; undefined when there is none. */
export type Resolve = (object: string, key: string) => Fields | undefined

/** Whether a record, as it is served, fulfils a filter; `not` may stand anywhere in it. */
export function matches(filter: Condition, record: Fields, resolve: Resolve): boolean {
  switch (filter.op) {
    case 'and':
      return filter.terms.every((term) => matches(term, record, resolve))
    case 'or':
      return filter.terms.some((term) => matches(term, record, resolve))
    case 'not':
      return !matches(filter.term, record, resolve)
    case 'constant':
      return filter.value
    default:
      return fulfils(filter, valueAt(filter.path, record, resolve))
  }
}

/**
 * The order of a list: records without a value first, last when descending; ties, and an empty sort, by creation, which
 * is the order of Keys: newest first, unless the first sort key ascends.
 */
export function compareBy(
  sort: readonly SortKey[],
  resolve: Resolve,
): (one: Fields, other: Fields) => number {
  const newestFirst = sort[0]?.descending ?? true
  return (one, other) => {
    for (const { path, descending } of sort) {
      const order = orderOfValues(path, valueAt(path, one, resolve), valueAt(path, other, resolve))
      if (order !== 0) return descending ? -order : order
    }
    const created = orderOfText(one['Id'] as string, other['Id'] as string)
    return newestFirst ? -created : created
  }
}

/** The value at the end of a path; undefined when the record, or one on the way, has none that is of the field's type. */
export function valueAt(path: Path, record: Fields, resolve: Resolve): Value | undefined {
  let at: Fields | undefined = record
  for (const { lookup } of path.hops) {
    const shown = member(at, lookup.name)
    // The lookup shows its display field; for others the record itself is asked.
    at = isObject(shown) ? { ...shown, ...resolve(lookup.target ?? '', shown['Id'] as string) } : undefined
  }
  const value = member(at, path.field.name) ?? null
  if (value === null || !isOfType(path.field, value)) return undefined
  const scalar = isObject(value) ? member(value, path.part ?? 'Id') : value
  return scalar === null || typeof scalar === 'object' ? undefined : scalar
}

type Tested = Exclude<Leaf, { op: 'constant' }>

/** Whether a record with this value at the end of the condition's path fulfils it; undefined: it has none. */
export function fulfils(leaf: Tested, value: Value | undefined): boolean {
  return value === undefined ? holdsWithoutValue(leaf) : holds(leaf, value) !== leaf.negated
}

function holds(leaf: Tested, value: Value): boolean {
  switch (leaf.op) {
    case 'isNull':
      return false
    case 'measure':
      return comparesNumbers(leaf.by, measured(leaf.of, String(value)), leaf.value)
    case 'compare':
      return compares(leaf.path, leaf.by, value, leaf.value)
    case 'in':
      return leaf.values.some((wanted) => wanted === value)
    case 'equalsFolded':
      return foldedText(String(value)) === leaf.text
    case 'contains':
      return foldedText(String(value)).includes(leaf.text)
    case 'startswith':
      return foldedText(String(value)).startsWith(leaf.text)
    case 'endswith':
      return foldedText(String(value)).endsWith(leaf.text)
  }
}

function compares(path: Path, by: Comparison, value: Value, wanted: Value): boolean {
  if (by === 'eq') return value === wanted
  if (by === 'ne') return value !== wanted
  const order = orderOfValues(path, value, wanted)
  return by === 'gt' ? order > 0 : by === 'ge' ? order >= 0 : by === 'lt' ? order < 0 : order <= 0
}

/** Dates and timestamps are text in their canonical form; of other text, of a time before the field was one, it is 0. */
function measured(of: Measure, text: string): number {
  switch (of) {
    case 'length':
      return [...text].length
    case 'month':
      return twoDigits(text, 5)
    case 'day':
      return twoDigits(text, 8)
  }
}

function twoDigits(text: string, at: number): number {
  const digits = text.slice(at, at + 2)
  return /^\d\d$/.test(digits) ? Number(digits) : 0
}

/** `one by other`, of numbers. */
export function comparesNumbers(by: Comparison, one: number, other: number): boolean {
  switch (by) {
    case 'eq':
      return one === other
    case 'ne':
      return one !== other
    case 'gt':
      return one > other
    case 'ge':
      return one >= other
    case 'lt':
      return one < other
    case 'le':
      return one <= other
  }
}

function orderOfValues(path: Path, one: Value | undefined, other: Value | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  if (path.kind === 'number' || path.kind === 'boolean') return Math.sign(Number(one) - Number(other))
  const [first, second] = [String(one), String(other)]
  return path.kind === 'text'
    ? orderOfText(foldedText(first), foldedText(second))
    : orderOfText(first, second)
}

/** By code point, as UTF-8 bytes sort; JavaScript's own order of text is by UTF-16 units. */
function orderOfText(one: string, other: string): number {
  return Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

function member(of: Fields | undefined, name: string): Json | undefined {
  return of && Object.hasOwn(of, name) ? of[name] : undefined
}
