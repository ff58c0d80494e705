/**
 * Rows as CSV (RFC 4180): CRLF, quotes doubled, a first line with the names; UTF-8 without a mark.
 *
 * An empty cell has no value; `""` is empty text. Text that a spreadsheet would take for a formula is defused.
 */
import { defused, quoted } from '../../domain/csv-text.ts'
import type { Cell } from '../../domain/warehouse/columns.ts'
import type { ColumnInfo } from '../../ports/warehouse.ts'
import { textEncoder, type RowEncoder } from './encoder.ts'

export function csv(columns: readonly ColumnInfo[]): RowEncoder {
  const encoders = columns.map(({ type }) =>
    type === 'text' || type === 'json' ? textCell : type === 'boolean' ? booleanCell : plainCell,
  )
  return textEncoder({
    head: `${columns.map(({ name }) => textCell(name)).join(',')}\r\n`,
    line(row) {
      let line = ''
      for (let i = 0; i < row.length; i++) line += (i > 0 ? ',' : '') + encoders[i]!(row[i]!)
      return `${line}\r\n`
    },
  })
}

const textCell = (value: Cell): string => (value === null ? '' : quoted(defused(String(value))))

const booleanCell = (value: Cell): string =>
  value === null ? '' : value === 1 || value === true ? 'true' : 'false'
/** Numbers, dates and timestamps hold nothing that would need a quote. */
const plainCell = (value: Cell): string => (value === null ? '' : String(value))
