/** Comparisons of `length()`, `year()`, `month()` and `day()` with integers. A year becomes the range of its days. */
import type { Comparison, Measure, Path } from './ast.ts'
import {
  countConditions,
  expected,
  expectMark,
  keywordOf,
  peek,
  take,
  takeMark,
  type Cursor,
} from './cursor.ts'
import { faultAt, quoted } from './fault.ts'
import type { Condition } from './normal-form.ts'
import { takes } from './values.ts'

export interface Measured {
  readonly path: Path
  readonly measure: Measure | 'year'
}

const OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const
/** No text is longer. */
const MOST = { length: 1_000_000, year: 9_999, month: 12, day: 31 } as const

/** @throws Invalid for another operator, and for what is not an integer that the measure can have */
export function readMeasured(cursor: Cursor, measured: Measured): Condition {
  const token = peek(cursor)
  const name = `${measured.measure}(${quoted(measured.path.text)})`
  const keyword = keywordOf(token)
  const operator = OPERATORS.find((one) => one === keyword)
  if (!operator && keyword !== 'in')
    throw expected(`an operator (${OPERATORS.join(', ')}, in) after ${name}`, token)
  cursor.next++
  if (!operator) return readList(cursor, measured, name)
  if ((operator === 'eq' || operator === 'ne') && keywordOf(peek(cursor)) === 'null') {
    cursor.next++
    return { op: 'isNull', path: measured.path, negated: operator === 'ne' }
  }
  return compared(measured, operator, readInteger(cursor, measured, name))
}

function readList(cursor: Cursor, measured: Measured, name: string): Condition {
  expectMark(cursor, '(', 'in')
  const { at } = peek(cursor)
  const numbers = new Set<number>()
  do numbers.add(readInteger(cursor, measured, name))
  while (takeMark(cursor, ','))
  if (!takeMark(cursor, ')')) throw expected(', or ) after a value', peek(cursor))
  const terms = [...numbers].map((number) => compared(measured, 'eq', number))
  countConditions(cursor, terms.length - 1, at) // the first has been counted
  return terms.length === 1 ? terms[0]! : { op: 'or', terms }
}

function readInteger(cursor: Cursor, { measure }: Measured, name: string): number {
  const { kind, text, at } = peek(cursor)
  const least = measure === 'length' ? 0 : 1
  const value = kind === 'literal' && /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= MOST[measure]))
    throw faultAt(
      'filter',
      at,
      `expected an integer from ${least} to ${MOST[measure]} for ${name}, found ${quoted(text) || 'the end'}`,
    )
  take(cursor)
  return value
}

function compared({ path, measure }: Measured, by: Comparison, value: number): Condition {
  if (measure !== 'year') return { op: 'measure', path, of: measure, by, value, negated: false }
  const from = beginOf(path, value)
  const to = value < MOST.year ? beginOf(path, value + 1) : undefined
  const is = (one: Comparison, at: string): Condition => ({
    op: 'compare',
    path,
    by: one,
    value: at,
    negated: false,
  })
  switch (by) {
    case 'eq':
      return within(path, from, to)
    case 'ne':
      return { op: 'not', term: within(path, from, to) }
    case 'ge':
      return is('ge', from)
    case 'lt':
      return is('lt', from)
    case 'gt':
      return to === undefined ? { op: 'constant', value: false } : is('ge', to)
    case 'le':
      return to === undefined ? { op: 'isNull', path, negated: true } : is('lt', to)
  }
}

function within(path: Path, from: string, to: string | undefined): Condition {
  const begun: Condition = { op: 'compare', path, by: 'ge', value: from, negated: false }
  if (to === undefined) return begun
  return { op: 'and', terms: [begun, { op: 'compare', path, by: 'lt', value: to, negated: false }] }
}

/** Where a year begins, in the path's type. */
function beginOf(path: Path, year: number): string {
  const day = `${String(year).padStart(4, '0')}-01-01`
  return takes(path) === 'timestamp' ? `${day}T00:00:00Z` : day
}
