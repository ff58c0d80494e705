/**
 * Rows of a source as CSV in UTF-8 with a mark, by which spreadsheets know it. Formulas are defused, which a reader takes
 * back (`apostrophes.ts`). A number that could be read in two ways gets a zero more.
 */
import { defused, inQuotes, quoted } from '../../domain/csv-text.ts'
import type { SourceCell } from './reader.ts'
import { shownText } from './table.ts'

/** What is worth sending at a time. */
const CHUNK = 64 * 1024

/** The bytes of a file with these columns and rows, as the rows come. */
export async function* writtenCsv(
  columns: readonly string[],
  rows: AsyncIterable<readonly SourceCell[]> | Iterable<readonly SourceCell[]>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  let text = `\ufeff${line(columns)}`
  for await (const cells of rows) {
    text += line(cells)
    if (text.length < CHUNK) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}

const line = (cells: readonly SourceCell[]): string => `${cells.map(cellText).join(',')}\r\n`

/** What a reader might take for a quote of its own, or for what separates columns, where no quotes say otherwise. */
const MISLEADING = /^'|[;\t|]/
/** `1.234` is a thousand and more to some; `1.2340` is the same number, and cannot be. */
const EITHER = /^-?\d{1,3}\.\d{3}$/

function cellText(cell: SourceCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string' && cell.kind === 'number' && cell.shown === undefined)
    return EITHER.test(cell.text) ? `${cell.text}0` : cell.text
  const text = defused(shownText(cell))
  return MISLEADING.test(text) ? inQuotes(text) : quoted(text)
}
