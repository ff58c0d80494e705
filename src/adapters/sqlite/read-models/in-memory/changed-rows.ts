/**
 * Records that have changed since the columns were read: what became of each, beside the columns, which stay as they were.
 */
import { accepts, has, type Choice } from './codes.ts'
import { rankOf, type Column, type ColumnValue } from './column.ts'

/** A record as it is now. */
export interface ChangedRow {
  readonly n: number
  /** Its values, and where they stand in their columns, by column. */
  readonly values: ReadonlyMap<Column, ColumnValue>
  readonly ranks: ReadonlyMap<Column, number>
}

export interface ChangedRows {
  readonly size: number
  /** The rows of the columns that count no more, by row. */
  readonly outdated: Uint8Array
  /** The same as a list. */
  readonly rows: readonly number[]
  /** Of those that are not deleted. */
  present(): Iterable<ChangedRow>
  /** `values`: in the order of the columns; undefined: the record is gone. */
  put(n: number, values: readonly ColumnValue[] | undefined): void
}

export function changedRows(
  count: number,
  rowOf: (n: number) => number,
  columns: readonly Column[],
): ChangedRows {
  const outdated = new Uint8Array(count)
  const rows: number[] = []
  const present = new Map<number, ChangedRow>()
  const seen = new Set<number>()
  return {
    get size() {
      return seen.size
    },
    outdated,
    rows,
    present: () => present.values(),
    put(n, values) {
      if (!seen.has(n)) {
        seen.add(n)
        const row = rowOf(n)
        if (row >= 0) {
          outdated[row] = 1
          rows.push(row)
        }
      }
      if (!values) return void present.delete(n)
      present.set(n, {
        n,
        values: new Map(columns.map((column, i) => [column, values[i]!])),
        ranks: new Map(columns.map((column, i) => [column, rankOf(column, values[i]!)])),
      })
    },
  }
}

/** Whether it is chosen: by the code of its value, or by the value where no other record had it. */
export function isChosen(choice: Choice, row: ChangedRow): boolean {
  switch (choice.op) {
    case 'constant':
      return choice.value
    case 'and':
      return choice.terms.every((term) => isChosen(term, row))
    case 'or':
      return choice.terms.some((term) => isChosen(term, row))
    case 'codes': {
      const rank = row.ranks.get(choice.column)!
      return rank % 2 === 0
        ? has(choice.codes, rank / 2)
        : accepts(choice.leaf, row.values.get(choice.column)!)
    }
  }
}
