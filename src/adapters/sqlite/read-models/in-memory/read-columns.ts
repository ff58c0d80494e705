/** Reads columns of a company's records out of the file, all in one state of it. */
import type { ObjectDefinition } from '../../../../domain/definition.ts'
import type { DatabaseSync } from 'node:sqlite'
import { indexOn, quoted, tableOf } from '../columns.ts'
import { BETWEEN, type Column } from './column.ts'

/** The records of an object and a company, as far as they are kept in memory. */
export interface Rows {
  /** The numbers of the records, ascending. */
  readonly numbers: Float64Array
  readonly columns: readonly Column[]
  /** Columns that cannot be kept: they have too many distinct values. */
  readonly unfit: readonly string[]
}

export interface ColumnsWanted {
  readonly definition: ObjectDefinition
  readonly company: number
  readonly columns: readonly string[]
}

/** More distinct texts than this are not kept: an index finds one of them as soon. */
const MOST_TEXTS = 150_000

export function readColumns(db: DatabaseSync, { definition, company, columns }: ColumnsWanted): Rows {
  db.exec('BEGIN')
  try {
    const numbers = readNumbers(db, definition, company)
    const read = columns.map((name) => ({ name, column: readColumn(db, definition, company, name, numbers) }))
    return {
      numbers,
      columns: read.flatMap(({ column }) => (column ? [column] : [])),
      unfit: read.filter(({ column }) => !column).map(({ name }) => name),
    }
  } finally {
    db.exec('COMMIT')
  }
}

const LIVE = 'company = ? AND deleted = 0'

function readNumbers(db: DatabaseSync, definition: ObjectDefinition, company: number): Float64Array {
  const from = `FROM ${tableOf(definition)} INDEXED BY ${indexOn(definition, '')} WHERE ${LIVE}`
  const count = Number(db.prepare(`SELECT count(*) AS count ${from}`).get(company)?.['count'])
  const numbers = new Float64Array(count)
  const statement = db.prepare(`SELECT n ${from} ORDER BY n`)
  statement.setReturnArrays(true)
  let row = 0
  for (const found of statement.iterate(company) as Iterable<unknown>) numbers[row++] = (found as [number])[0]
  return numbers
}

function readColumn(
  db: DatabaseSync,
  definition: ObjectDefinition,
  company: number,
  name: string,
  numbers: Float64Array,
): Column | undefined {
  const rowOf = rowFinder(numbers)
  const statement = db.prepare(
    `SELECT ${quoted(name)}, n FROM ${tableOf(definition)} INDEXED BY ${indexOn(definition, name)} WHERE ${LIVE}
     ORDER BY ${quoted(name)}, n`,
  )
  statement.setReturnArrays(true)
  const codes = new Uint32Array(numbers.length)
  const rows = new Uint32Array(numbers.length)
  const starts = [0]
  const values: (string | number)[] = []
  let last: string | number | null = null
  let at = 0
  for (const found of statement.iterate(company) as Iterable<unknown>) {
    const [value, n] = found as [string | number | null, number]
    if (value !== null && value !== last) {
      starts.push(at)
      values.push(value)
      last = value
      if (typeof value === 'string' && values.length > MOST_TEXTS) return undefined
    }
    const row = rowOf(n)
    codes[row] = starts.length - 1
    rows[at++] = row
  }
  starts.push(at)
  return { name, ...packed(values), codes, rows, starts: Uint32Array.from(starts) }
}

/** Finds rows by their numbers. */
export function rowFinder(numbers: Float64Array): (n: number) => number {
  return (n) => {
    let from = 0
    let to = numbers.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (numbers[middle]! < n) from = middle + 1
      else to = middle
    }
    return numbers[from] === n ? from : -1
  }
}

function packed(values: readonly (string | number)[]): Pick<Column, 'values' | 'ends'> {
  if (typeof values[0] !== 'string') return { values: Float64Array.from(values as number[]), ends: undefined }
  const texts = values.map((value) => Buffer.from(String(value)))
  const bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + length + 1, 1))
  const ends = new Uint32Array(texts.length + 1)
  bytes[0] = BETWEEN
  let at = 0
  texts.forEach((text, i) => {
    bytes.set(text, at + 1)
    at += text.length + 1
    bytes[at] = BETWEEN
    ends[i + 1] = at
  })
  return { values: bytes, ends }
}
