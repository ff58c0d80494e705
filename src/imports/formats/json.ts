/** JSON of records, as a stream: `{"Records": [ … ]}` in one document, or an object on each line (NDJSON). */
import { boundedBytes } from './bounded-bytes.ts'
import { decodedText } from './encoding.ts'
import { jsonColumns } from './json-cells.ts'
import { linesOf } from './lines.ts'
import { recordTexts } from './record-texts.ts'
import {
  DEFAULT_LIMITS,
  FileRefused,
  type Reader,
  type ReaderItem,
  type ReadLimits,
  type RowFormat,
} from './reader.ts'

/** A line may be a record of 1 MiB; a longer one is not. */
const LONGEST_LINE = 1024 * 1024

/** The number of a row is its place in the list, from 1. */
export const readJson: Reader = (source, _options, limits = DEFAULT_LIMITS) =>
  rowsOf('json', numbered(recordTexts(textIn(source.bytes, limits))), limits)

/** The number of a row is its line. */
export const readNdjson: Reader = (source, _options, limits = DEFAULT_LIMITS) =>
  rowsOf('ndjson', numbered(linesOf(textIn(source.bytes, limits), LONGEST_LINE)), limits)

/** JSON is UTF-8 (RFC 8259); a mark at its beginning is passed over. */
const textIn = (bytes: AsyncIterable<Uint8Array>, limits: ReadLimits) =>
  decodedText(boundedBytes(bytes, limits.bytes), 'utf-8').text

async function* numbered(texts: AsyncIterable<string>): AsyncGenerator<[number, string], void> {
  let number = 0
  for await (const text of texts) yield [++number, text]
}

async function* rowsOf(
  format: RowFormat,
  texts: AsyncIterable<[number, string]>,
  limits: ReadLimits,
): AsyncGenerator<ReaderItem, void> {
  yield { is: 'file', facts: { format, encoding: 'utf-8' } }
  const columns = jsonColumns(limits)
  let known = 0
  let count = 0
  for await (const [number, text] of texts) {
    if (text.trim() === '') continue
    if (++count > limits.rows)
      throw new FileRefused(
        'too-many-rows',
        `The file has more than ${limits.rows} rows: import it in parts.`,
      )
    const cells = columns.cellsOf(text)
    if (columns.names.length > known) {
      known = columns.names.length
      yield { is: 'columns', columns: [...columns.names], row: number }
    }
    yield cells
      ? { is: 'row', row: { number, cells } }
      : { is: 'row', row: { number, cells: [], wrong: 'is not a JSON object' } }
  }
  if (count === 0)
    yield { is: 'notice', notice: { code: 'nothing-in-it', message: 'There are no rows in the file.' } }
}
