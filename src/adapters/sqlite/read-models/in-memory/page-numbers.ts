/** The records of a page, from columns in memory: those of the columns' rows and those that have changed since, in order. */
import { isChosen, type ChangedRow, type ChangedRows } from './changed-rows.ts'
import { fewestOf, rowsOf, slicesOf, testOf } from './choice.ts'
import type { Choice } from './codes.ts'
import { codesIn, orderOf, type Column } from './column.ts'

export interface OrderBy {
  readonly column: Column
  readonly descending: boolean
}

export interface PageAsked {
  readonly numbers: Float64Array
  readonly changed: ChangedRows
  /** Undefined: all records. */
  readonly choice: Choice | undefined
  /** How many records match, about. */
  readonly total: number
  readonly order: readonly OrderBy[]
  readonly offset: number
  readonly limit: number
}

type Test = (row: number) => boolean

/** The numbers of the page's records, in order. */
export function pageNumbers(asked: PageAsked): number[] {
  const { numbers, changed, choice, order, offset, limit } = asked
  const wanted = offset + limit
  const newestFirst = order[0]?.descending ?? true
  const others = [...changed.present()].filter((row) => !choice || isChosen(choice, row))
  const rows = firstRows(asked, wanted, newestFirst)
  if (others.length === 0) return rows.slice(offset).map((row) => numbers[row]!)
  const compare = comparison(order, newestFirst)
  const items = rows.map((row) => itemOf(numbers[row]!, row, order))
  const merged = [...items, ...others.map((row) => changedItem(row, order))].sort(compare)
  return merged.slice(offset, wanted).map(({ n }) => n)
}

/** The first rows in the order asked for, of those that have not changed. */
function firstRows(asked: PageAsked, wanted: number, newestFirst: boolean): number[] {
  const { numbers, changed, choice, total, order } = asked
  const all = numbers.length
  const chosen = choice && testOf(choice)
  const { outdated } = changed
  const test: Test = chosen ? (row) => outdated[row] === 0 && chosen(row) : (row) => outdated[row] === 0
  // Rows that would be walked past, and those that would be sorted instead.
  const walk = wanted * (all / Math.max(1, total))
  const few = choice && fewestOf(choice, all)
  if (choice && few && few.count < walk) {
    const one = order.length === 0 && oneSlice(few.term)
    if (one) return taken(few.term.column.rows, one[0], one[1], newestFirst, wanted, test)
    return rowsOf(choice, all).filter(test).sort(rowComparison(order, newestFirst)).slice(0, wanted)
  }
  return inOrder({ all, order, newestFirst, wanted, total }, test)
}

/** The rows of a condition, where these lie in the order of creation. */
function oneSlice(term: Parameters<typeof slicesOf>[0]): readonly [number, number] | undefined {
  const { codes } = term
  return !codes.table && !codes.inverse && codes.length === 1 ? slicesOf(term)[0] : undefined
}

interface Walk {
  readonly all: number
  readonly order: readonly OrderBy[]
  readonly newestFirst: boolean
  readonly wanted: number
  /** How many rows pass the test, about. */
  readonly total: number
}

/** Walks the rows in order, value by value of the first column, until there are enough. */
function inOrder(walk: Walk, test: Test): number[] {
  const { all, order, newestFirst, wanted, total } = walk
  const [first, ...rest] = order
  if (!first) return taken(undefined, 0, all, newestFirst, wanted, test)
  const { column, descending } = first
  const { rows, starts } = column
  const values = codesIn(column)
  const found: number[] = []
  for (let i = 0; i < values && found.length < wanted; i++) {
    const code = descending ? values - 1 - i : i
    const [from, to] = [starts[code]!, starts[code + 1]!]
    const missing = wanted - found.length
    if (rest.length === 0) found.push(...taken(rows, from, to, newestFirst, missing, test))
    // Many rows of one value: in the order of the next column, enough of them are met sooner than all are sorted.
    else if ((to - from) ** 2 > missing * all * (all / Math.max(1, total))) {
      const inner = { ...walk, order: rest, wanted: missing }
      found.push(...inOrder(inner, (row) => column.codes[row] === code && test(row)))
    } else found.push(...sortedPart(rows.subarray(from, to), rest, newestFirst, missing, test))
  }
  return found
}

function sortedPart(
  rows: Uint32Array,
  order: readonly OrderBy[],
  newestFirst: boolean,
  wanted: number,
  test: Test,
): number[] {
  const compare = rowComparison(order, newestFirst)
  let best: number[] = []
  let last: number | undefined
  for (const row of rows) {
    if ((last !== undefined && compare(row, last) > 0) || !test(row)) continue
    best.push(row)
    if (best.length < 2 * wanted + 100) continue
    best = best.sort(compare).slice(0, wanted)
    last = best.at(-1)
  }
  return best.sort(compare).slice(0, wanted)
}

/** The first or last of `rows` (of all rows: undefined) from one place to another that pass. */
function taken(
  rows: Uint32Array | undefined,
  from: number,
  to: number,
  fromEnd: boolean,
  wanted: number,
  test: Test,
): number[] {
  const found: number[] = []
  for (let i = from; i < to && found.length < wanted; i++) {
    const at = fromEnd ? from + to - 1 - i : i
    const row = rows ? rows[at]! : at
    if (test(row)) found.push(row)
  }
  return found
}

function rowComparison(order: readonly OrderBy[], newestFirst: boolean) {
  return (one: number, other: number): number => {
    for (const { column, descending } of order) {
      const difference = column.codes[one]! - column.codes[other]!
      if (difference !== 0) return descending ? -difference : difference
    }
    return newestFirst ? other - one : one - other
  }
}

interface Item {
  readonly n: number
  readonly ranks: readonly number[]
  readonly changed: ChangedRow | undefined
}

function itemOf(n: number, row: number, order: readonly OrderBy[]): Item {
  return { n, ranks: order.map(({ column }) => 2 * column.codes[row]!), changed: undefined }
}

function changedItem(changed: ChangedRow, order: readonly OrderBy[]): Item {
  return { n: changed.n, ranks: order.map(({ column }) => changed.ranks.get(column)!), changed }
}

function comparison(order: readonly OrderBy[], newestFirst: boolean) {
  return (one: Item, other: Item): number => {
    for (const [i, { column, descending }] of order.entries()) {
      let difference = one.ranks[i]! - other.ranks[i]!
      // Both are new, and between the same two values.
      if (difference === 0 && one.ranks[i]! % 2 === 1)
        difference = orderOf(one.changed!.values.get(column)!, other.changed!.values.get(column)!)
      if (difference !== 0) return descending ? -difference : difference
    }
    return newestFirst ? other.n - one.n : one.n - other.n
  }
}
