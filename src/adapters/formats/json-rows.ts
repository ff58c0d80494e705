/** Rows as JSON: an object each, in the Success wrapper or one a line. JSON fields are JSON, booleans true or false. */
import type { Cell } from '../../domain/warehouse/columns.ts'
import type { ColumnInfo } from '../../ports/warehouse.ts'
import { textEncoder, type RowEncoder } from './encoder.ts'

export function jsonLines(columns: readonly ColumnInfo[]): RowEncoder {
  const objectOf = jsonObject(columns)
  return textEncoder({ line: (row) => `${objectOf(row)}\n` })
}

/** The Success wrapper around all rows (docs/interface.md). */
export function jsonDocument(columns: readonly ColumnInfo[]): RowEncoder {
  const objectOf = jsonObject(columns)
  let before = ''
  return textEncoder({
    head: '{"Success":true,"Data":[',
    line(row) {
      const text = before + objectOf(row)
      before = ','
      return text
    },
    tail: ']}',
  })
}

function jsonObject(columns: readonly ColumnInfo[]): (row: readonly Cell[]) => string {
  const members = columns.map(({ name }, i) => `${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)
  const values = columns.map(({ type }) =>
    type === 'json' ? jsonValue : type === 'boolean' ? booleanValue : JSON.stringify,
  )
  return (row) => {
    let text = '{'
    for (let i = 0; i < members.length; i++) text += members[i]! + values[i]!(row[i])
    return `${text}}`
  }
}

/** It is kept as JSON text. */
const jsonValue = (value: Cell): string => (value === null ? 'null' : (value as string))
const booleanValue = (value: Cell): string =>
  value === null ? 'null' : value === 1 || value === true ? 'true' : 'false'
