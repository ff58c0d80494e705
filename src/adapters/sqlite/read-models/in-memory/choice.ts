/**
 * A filter over columns in memory: which rows it chooses, and how many they are.
 *
 * A condition knows its rows from the order of its column. Where conditions must all hold, the rows of the one with the
 * fewest are looked at; where none has few, all rows are, block by block, in loops without branches.
 */
import type { Filter } from '../../../../domain/filter/ast.ts'
import { codesIn, type Column } from './column.ts'
import { codesOf, columnOf, has, type Choice, type Chosen, type Codes } from './codes.ts'
import { jointCount } from './joint-counts.ts'

/** The columns that decide a filter; undefined when more than columns of the records decide it. */
export function columnsOfFilter(filter: Filter): readonly string[] | undefined {
  if (filter.op === 'constant') return []
  if (!('terms' in filter)) {
    const column = columnOf(filter)
    return column === undefined ? undefined : [column]
  }
  const names = filter.terms.map(columnsOfFilter)
  return names.every((one) => one !== undefined) ? names.flat() : undefined
}

/** Undefined where a column is not there, or its values would have to be looked at one by one. */
export function choiceOf(filter: Filter, columns: ReadonlyMap<string, Column>): Choice | undefined {
  if (filter.op === 'constant') return filter
  if ('terms' in filter) {
    const terms = filter.terms.map((term) => choiceOf(term, columns))
    return terms.every((term) => term !== undefined) ? { op: filter.op, terms } : undefined
  }
  const column = columns.get(columnOf(filter) ?? '')
  const codes = column && codesOf(filter, column)
  return codes && { op: 'codes', leaf: filter, column, codes }
}

/** Whether it chooses a row. */
export function testOf(choice: Choice): (row: number) => boolean {
  if (choice.op === 'constant') return () => choice.value
  if (choice.op === 'codes') {
    const { column, codes } = choice
    const codeOf = column.codes
    return (row) => has(codes, codeOf[row]!)
  }
  const tests = choice.terms.map(testOf)
  const [first, second] = tests as [(row: number) => boolean, (row: number) => boolean]
  if (tests.length === 2)
    return choice.op === 'and' ? (row) => first(row) && second(row) : (row) => first(row) || second(row)
  return choice.op === 'and'
    ? (row) => tests.every((test) => test(row))
    : (row) => tests.some((test) => test(row))
}

/** Rows that are looked at one by one, rather than all of them in blocks. */
const FEW_OF_ALL = 1 / 16

export function countOf(choice: Choice, all: number): number {
  if (choice.op === 'constant') return choice.value ? all : 0
  if (choice.op === 'codes') return rowsChosen(choice, all)
  const few = fewestOf(choice, all)
  if (few && few.count <= all * FEW_OF_ALL) {
    const test = testOf(choice)
    let count = 0
    eachRow(few.term, (row) => void (count += Number(test(row))))
    return count
  }
  const joint = choice.op === 'and' ? jointCount(choice.terms) : undefined
  return joint ?? countInBlocks(choice, all)
}

/** All rows that it chooses, in no order. */
export function rowsOf(choice: Choice, all: number): number[] {
  const test = testOf(choice)
  const rows: number[] = []
  const look = (row: number) => {
    if (test(row)) rows.push(row)
  }
  const few = fewestOf(choice, all)
  if (few) eachRow(few.term, look)
  else for (let row = 0; row < all; row++) look(row)
  return rows
}

/** The condition that every row chosen fulfils and that the fewest do. */
export function fewestOf(choice: Choice, all: number): { term: Chosen; count: number } | undefined {
  if (choice.op === 'codes') return { term: choice, count: rowsChosen(choice, all) }
  if (choice.op !== 'and') return undefined
  let few: { term: Chosen; count: number } | undefined
  for (const term of choice.terms) {
    if (term.op !== 'codes') continue
    const count = rowsChosen(term, all)
    if (!few || count < few.count) few = { term, count }
  }
  return few
}

/** The parts of `rows` that a condition chooses. */
export function slicesOf({ column, codes }: Chosen): (readonly [number, number])[] {
  const { starts } = column
  const end = codesIn(column)
  const { from, length, table, inverse } = codes
  if (!table) {
    const [first, last] = [starts[from]!, starts[Math.min(end, from + length)]!]
    return inverse
      ? [
          [0, first],
          [last, starts[end]!],
        ]
      : [[first, last]]
  }
  const slices: [number, number][] = []
  for (let code = 0; code < end; code++)
    if ((table[code] === 1) !== inverse) slices.push([starts[code]!, starts[code + 1]!])
  return slices
}

function rowsChosen(term: Chosen, all: number): number {
  const { column, codes } = term
  const { starts } = column
  if (!codes.table) {
    const within = starts[codes.from + codes.length]! - starts[codes.from]!
    return codes.inverse ? all - within : within
  }
  let count = 0
  for (let code = 0; code < codes.table.length; code++)
    count += codes.table[code]! * (starts[code + 1]! - starts[code]!)
  return codes.inverse ? all - count : count
}

function eachRow(term: Chosen, look: (row: number) => void): void {
  const { rows } = term.column
  for (const [from, to] of slicesOf(term)) for (let at = from; at < to; at++) look(rows[at]!)
}

const BLOCK = 8_192

function countInBlocks(choice: Choice, all: number): number {
  const masks: Uint8Array[] = []
  let count = 0
  for (let from = 0; from < all; from += BLOCK) {
    const length = Math.min(BLOCK, all - from)
    const mask = maskOf(choice, from, length, masks, 0)
    for (let i = 0; i < length; i++) count += mask[i]!
  }
  return count
}

/** 1 for each row that is chosen, of so many from one on. Masks are used again, one for each depth. */
function maskOf(
  choice: Choice,
  from: number,
  length: number,
  masks: Uint8Array[],
  depth: number,
): Uint8Array {
  const mask = (masks[depth] ??= new Uint8Array(BLOCK))
  if (choice.op === 'constant') return mask.fill(Number(choice.value))
  if (choice.op === 'codes') {
    fill(mask, choice.column.codes, choice.codes, from, length)
    return mask
  }
  mask.fill(Number(choice.op === 'and'))
  for (const term of choice.terms) {
    const other = maskOf(term, from, length, masks, depth + 1)
    if (choice.op === 'and') for (let i = 0; i < length; i++) mask[i]! &= other[i]!
    else for (let i = 0; i < length; i++) mask[i]! |= other[i]!
  }
  return mask
}

function fill(mask: Uint8Array, codeOf: Uint32Array, codes: Codes, start: number, length: number): void {
  const { from, length: width, table } = codes
  const inverse = Number(codes.inverse)
  if (table) for (let i = 0; i < length; i++) mask[i] = table[codeOf[start + i]!]! ^ inverse
  else for (let i = 0; i < length; i++) mask[i] = Number((codeOf[start + i]! - from) >>> 0 < width) ^ inverse
}
