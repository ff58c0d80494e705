/**
 * CSV, as a stream: any delimiter, quote and encoding, `sep=` of Excel, mixed ends of lines. Strict about quotes: a file
 * that quotes wrongly is refused, with its line, rather than read into the wrong columns.
 */
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { withoutApostrophes } from './apostrophes.ts'
import { boundedBytes } from './bounded-bytes.ts'
import { DELIMITERS, separationOf, type Separation } from './delimiter.ts'
import { decodedText, type DecodedText } from './encoding.ts'
import {
  DEFAULT_LIMITS,
  FileRefused,
  type Reader,
  type ReaderItem,
  type ReadLimits,
  type ReadOptions,
  type SourceRow,
} from './reader.ts'
import { MOST_BEFORE_HEADER, tableOf } from './table.ts'

/** What delimiter and quote are detected by. */
const SAMPLE = 256 * 1024
/** No record is longer: a quote that is never closed ends here, not with the memory. */
const LONGEST_RECORD = 4 * 1024 * 1024

export const readCsv: Reader = async function* (source, options = {}, limits = DEFAULT_LIMITS) {
  const decoded = decodedText(boundedBytes(source.bytes, limits.bytes), options.encoding)
  try {
    yield* readText(decoded, options, limits)
  } finally {
    await decoded.text.return()
  }
}

async function* readText(
  decoded: DecodedText,
  options: ReadOptions,
  limits: ReadLimits,
): AsyncGenerator<ReaderItem, void> {
  const opened = await openedText(decoded.text)
  const separation = separationIn(opened, options)
  const { delimiter, quote } = separation
  const facts = () =>
    ({ format: 'csv', encoding: decoded.found().encoding, delimiter, quote }) satisfies FactsOfCsv
  const before = facts()
  yield { is: 'file', facts: before }
  if (separation.assumed) yield delimiterAssumed(delimiter)
  let noticed = false
  const { rows, notices } = unprotected(records(opened, separation), options)
  for await (const item of tableOf(rows, options, limits, { grows: false })) {
    if (!noticed && decoded.found().assumed) {
      yield encodingAssumed(decoded)
      noticed = true
    }
    yield item
  }
  for (const notice of notices()) yield { is: 'notice', notice }
  if (facts().encoding !== before.encoding) yield { is: 'file', facts: facts() }
}

/** A bank's file is read to the letter: its lines are known by their texts. */
const unprotected = (rows: AsyncIterable<SourceRow>, { headerSearch }: ReadOptions) =>
  headerSearch ? { rows, notices: () => [] } : withoutApostrophes(rows)

interface FactsOfCsv {
  readonly format: 'csv'
  readonly encoding: string
  readonly delimiter: string
  readonly quote: string
}

/** A text whose beginning is known. */
interface OpenedText {
  readonly sample: string
  readonly whole: boolean
  readonly rest: AsyncGenerator<string, void>
  /** What the line `sep=` of Excel says, which is not in the sample. */
  readonly separator?: string
}

async function openedText(text: AsyncGenerator<string, void>): Promise<OpenedText> {
  let sample = ''
  let whole = true
  for (;;) {
    const next = await text.next()
    if (next.done) break
    sample += next.value
    if (sample.length >= SAMPLE) {
      whole = false
      break
    }
  }
  const sep = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r|$)/i.exec(sample)
  if (!sep) return { sample, whole, rest: text }
  return { sample: sample.slice(sep[0].length), whole, rest: text, separator: sep[1]! }
}

function separationIn({ sample, whole, separator }: OpenedText, options: ReadOptions): Separation {
  const delimiter = options.delimiter ?? separator
  if (delimiter === undefined)
    return separationByHeader(sample, options) ?? separationOf(sample, whole, options.quote)
  if (delimiter === '' || /[\r\n"]/.test(delimiter))
    throw new FileRefused('unknown-delimiter', 'Delimiter must be a character such as ";", "," or "|".')
  return { delimiter, quote: options.quote ?? '"', assumed: false }
}

/** Where it is known what a header looks like, what separates its columns. */
function separationByHeader(
  sample: string,
  { headerSearch, quote = '"' }: ReadOptions,
): Separation | undefined {
  if (!headerSearch) return undefined
  const lines = sample.split(/[\r\n]+/, MOST_BEFORE_HEADER + 1)
  const plain = (cell: string) => {
    const text = cell.trim()
    return quote !== '' && text.length > 1 && text.startsWith(quote) && text.endsWith(quote)
      ? text.slice(1, -1).trim()
      : text
  }
  const fitting = DELIMITERS.filter((delimiter) =>
    lines.some((line) => headerSearch.isHeader(line.split(delimiter).map(plain))),
  )
  return fitting.length === 1 ? { delimiter: fitting[0]!, quote, assumed: false } : undefined
}

/** All records, the empty ones too, numbered from 1. */
async function* records(
  { sample, rest }: OpenedText,
  { delimiter, quote }: Separation,
): AsyncGenerator<SourceRow, void> {
  let last = ''
  async function* text(): AsyncGenerator<string, void> {
    last = sample
    yield sample
    for await (const part of rest) {
      last = part
      yield part
    }
  }
  const parser = parse({
    delimiter,
    quote: quote === '' ? false : quote,
    escape: quote === '' ? false : quote,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: LONGEST_RECORD,
  })
  // What ends it early is thrown by the iteration below.
  pipeline(Readable.from(text()), parser, () => undefined)
  let number = 0
  let width = 0
  let held: SourceRow | undefined
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (held) yield held
      held = { number: ++number, cells }
      width = Math.max(width, cells.length)
    }
  } catch (error) {
    throw refusal(error)
  }
  if (held) yield /[\r\n]$/.test(last) ? held : maybeCutOff(held, width)
}

/** The last record of a file that ends within a line: shorter than others, it is taken for half of one. */
function maybeCutOff(row: SourceRow, width: number): SourceRow {
  if (row.cells.length >= width) return row
  return {
    ...row,
    wrong: `has ${row.cells.length} cells where others have ${width}, and the file ends within it: the file seems to be cut off`,
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = typeof error['lines'] === 'number' ? error['lines'] : undefined
  const where = line === undefined ? '' : `Line ${line}: `
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return new FileRefused(
      'cell-too-long',
      `${where}a record of more than ${LONGEST_RECORD} characters; a quote that is never closed makes such records.`,
    )
  return new FileRefused(
    'damaged',
    `${where}${REASONS[error.code] ?? 'this is not CSV'}; where quotes are ordinary characters, set Quote to "".`,
  )
}

const REASONS: { readonly [code: string]: string | undefined } = {
  CSV_INVALID_CLOSING_QUOTE: 'after a closing quote there must be a delimiter or the end of the line',
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  INVALID_OPENING_QUOTE: 'a quote within a cell that does not begin with one',
}

const delimiterAssumed = (delimiter: string): ReaderItem => ({
  is: 'notice',
  notice: {
    code: 'delimiter-assumed',
    message: `Columns are taken to be separated by ${JSON.stringify(delimiter)}.`,
  },
})

const encodingAssumed = ({ found }: DecodedText): ReaderItem => ({
  is: 'notice',
  notice: {
    code: 'encoding-assumed',
    message: `The file is not UTF-8 and is taken for ${found().encoding}: look whether letters with accents are right.`,
  },
})
