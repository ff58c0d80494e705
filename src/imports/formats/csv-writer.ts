/**
 * Rows of a source as CSV in UTF-8 with a mark, by which spreadsheets know it. Formulas are defused, which a reader takes
 * back where the header has the column `Daybook-Row` (`own-columns.ts`).
 */
import { quoted, restorable } from '../../domain/csv-text.ts'
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

const line = (cells: readonly SourceCell[]): string =>
  `${cells.map((cell) => (cell === null ? '' : quoted(restorable(shownText(cell))))).join(',')}\r\n`
