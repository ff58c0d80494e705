/** Rows as JSON: an object each, in the Success wrapper or one a line. JSON fields are JSON, booleans true or false. */
import type { Cell } from '../../../../domain/warehouse/columns.ts'
import type { ColumnInfo } from '../../../../ports/warehouse.ts'
import { inChunks } from './chunks.ts'

type Rows = Iterable<readonly Cell[]>

export function* jsonLines(columns: readonly ColumnInfo[], rows: Rows): Generator<Uint8Array> {
  const objectOf = jsonObject(columns)
  yield* inChunks(
    (function* () {
      for (const row of rows) yield `${objectOf(row)}\n`
    })(),
  )
}

/** The Success wrapper around all rows (docs/interface.md). */
export function* jsonDocument(columns: readonly ColumnInfo[], rows: Rows): Generator<Uint8Array> {
  const objectOf = jsonObject(columns)
  yield* inChunks(
    (function* () {
      let before = '{"Success":true,"Data":['
      for (const row of rows) {
        yield before + objectOf(row)
        before = ','
      }
      yield before === ',' ? ']}' : `${before}]}`
    })(),
  )
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
const booleanValue = (value: Cell): string => (value === null ? 'null' : value === 1 ? 'true' : 'false')
