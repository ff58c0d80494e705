/**
 * Rows as CSV (RFC 4180): CRLF, quotes doubled, a first line with the names; UTF-8 without a mark.
 *
 * An empty cell has no value; `""` is empty text. Text that a spreadsheet would take for a formula gets an apostrophe
 * before it, so that opening a file runs nothing that a tenant has typed into a name.
 */
import type { Cell } from '../../domain/warehouse/columns.ts'
import type { ColumnInfo } from '../../ports/warehouse.ts'
import { textEncoder, type RowEncoder } from './encoder.ts'

/** What a spreadsheet begins a formula with; the wide forms are taken for the plain ones by some. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const TO_QUOTE = /[",\r\n]/

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

function textCell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  const defused = FORMULA.test(text) ? `'${text}` : text
  return defused === '' || TO_QUOTE.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused
}

const booleanCell = (value: Cell): string =>
  value === null ? '' : value === 1 || value === true ? 'true' : 'false'
/** Numbers, dates and timestamps hold nothing that would need a quote. */
const plainCell = (value: Cell): string => (value === null ? '' : String(value))
