/**
 * One column of a company's records, kept in memory in the order of an index: each row has the place of its value among the
 * distinct values, and each value has its rows. The order is SQLite's own: numbers, or text by its bytes; no value is first.
 */

export interface Column {
  /** As in `columns.ts`. */
  readonly name: string
  /** The distinct values, ascending. Of text the UTF-8, each value between two bytes that no text has. */
  readonly values: Float64Array | Uint8Array
  /** Of text: by value, where the byte before it stands; and where the last ends. */
  readonly ends: Uint32Array | undefined
  /** By row: 0 for no value, else 1 and the place among the values. */
  readonly codes: Uint32Array
  /** By code: where its rows begin in `rows`; and the end of the last. */
  readonly starts: Uint32Array
  /** The rows by code, those of a code in the order of creation. */
  readonly rows: Uint32Array
}

export type ColumnValue = string | number | null

/** A byte that UTF-8 does not have: above all that it has. */
export const BETWEEN = 0xff

export function bytesOf(column: Column): number {
  const { values, ends, codes, starts, rows } = column
  return [values, ends, codes, starts, rows].reduce((sum, one) => sum + (one?.byteLength ?? 0), 0)
}

/** How many codes there are, with that of no value. */
export function codesIn({ starts }: Column): number {
  return starts.length - 1
}

export function valueOf({ values, ends }: Column, code: number): ColumnValue {
  if (code === 0) return null
  if (!ends) return values[code - 1]!
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString(
    'utf8',
    ends[code - 1]! + 1,
    ends[code],
  )
}

/** The first code whose value is not less than this one (`after`: greater). */
export function codeFrom(column: Column, value: number | Uint8Array, after = false): number {
  let from = 1
  let to = codesIn(column)
  while (from < to) {
    const middle = (from + to) >>> 1
    const order = orderTo(column, middle, value)
    if (after ? order <= 0 : order < 0) from = middle + 1
    else to = middle
  }
  return from
}

function orderTo({ values, ends }: Column, code: number, value: number | Uint8Array): number {
  if (typeof value === 'number') return values[code - 1]! - value
  return Buffer.compare((values as Uint8Array).subarray(ends![code - 1]! + 1, ends![code]), value)
}

/** Where a value stands: twice its code, or the odd number between two codes. */
export function rankOf(column: Column, value: ColumnValue): number {
  if (value === null) return 0
  const sought = typeof value === 'number' ? value : Buffer.from(value)
  const code = codeFrom(column, sought)
  return code < codesIn(column) && orderTo(column, code, sought) === 0 ? 2 * code : 2 * code - 1
}

/** Two values of one column, in its order. */
export function orderOf(one: ColumnValue, other: ColumnValue): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'number') return one - Number(other)
  return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
}
