/**
 * How many rows two conditions choose that each choose many: a range of one column, and some of the few values of another.
 *
 * For every so many rows in the order of the first column it is kept how many rows up to there have each value of the
 * second. A range is then two rows of this table, and what is left at its two ends.
 */
import { codesIn, type Column } from './column.ts'
import { has, type Choice, type Chosen } from './codes.ts'

const STEP = 4_096
/** The second column has no more values. */
const FEW_VALUES = 64

const tables = new WeakMap<Column, WeakMap<Column, Uint32Array>>()

/** Undefined where the terms are not such a pair. */
export function jointCount(terms: readonly Choice[]): number | undefined {
  const [one, other] = terms
  if (terms.length !== 2 || one?.op !== 'codes' || other?.op !== 'codes') return undefined
  return countOfPair(one, other) ?? countOfPair(other, one)
}

function countOfPair(range: Chosen, few: Chosen): number | undefined {
  if (range.codes.table || codesIn(few.column) > FEW_VALUES) return undefined
  const { from, length, inverse } = range.codes
  const { starts, rows } = range.column
  const table = tableOf(range.column, few.column)
  const width = codesIn(few.column)
  const upTo = (end: number): number => {
    const step = Math.floor(end / STEP)
    let count = 0
    for (let code = 0; code < width; code++) if (has(few.codes, code)) count += table[step * width + code]!
    const codeOf = few.column.codes
    for (let at = step * STEP; at < end; at++) count += Number(has(few.codes, codeOf[rows[at]!]!))
    return count
  }
  const within = upTo(starts[from + length]!) - upTo(starts[from]!)
  return inverse ? upTo(rows.length) - within : within
}

function tableOf(by: Column, few: Column): Uint32Array {
  const known = tables.get(by)?.get(few)
  if (known) return known
  const width = codesIn(few)
  const steps = Math.floor(by.rows.length / STEP) + 1
  const table = new Uint32Array(steps * width)
  const counts = new Uint32Array(width)
  for (let at = 0; at < by.rows.length; at++) {
    if (at % STEP === 0) table.set(counts, (at / STEP) * width)
    counts[few.codes[by.rows[at]!]!]!++
  }
  if (by.rows.length % STEP === 0) table.set(counts, (steps - 1) * width)
  const ofColumn = tables.get(by) ?? new WeakMap<Column, Uint32Array>()
  ofColumn.set(few, table)
  tables.set(by, ofColumn)
  return table
}
