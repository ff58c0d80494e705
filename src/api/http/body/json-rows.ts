/**
 * A JSON body of many rows, `{"Records": [...], ...}`, parsed row by row: not even ten megabytes of it block the event
 * loop. The result equals that of `JSON.parse`.
 */
import { invalid, TooLarge } from '../../../domain/errors.ts'
import type { Json } from '../../../domain/json.ts'
import { checkUtf8, newScan, scanJsonText, type RowMarks } from './json-text.ts'
import { pace, type Pace } from '../limits/pace.ts'

export interface RowsOf {
  /** The member of the outermost object that holds the rows. */
  readonly member: string
  /** How many there may be. */
  readonly most: number
}

const SLICE = 65_536
/** What may stand beside the rows, in bytes: it is parsed in one go. */
const MOST_BESIDE = 65_536
/** What a row may have, in bytes: as much as a body of one record. */
const MOST_OF_ROW = 1_048_576

/**
 * @throws Invalid when it is not JSON, or is beyond the limits of `json-text.ts` or of `rows`; TooLarge when a row is
 * larger than any record
 */
export async function parseRows(bytes: Buffer, rows: RowsOf, turn: Pace = pace()): Promise<Json> {
  checkUtf8(bytes)
  const scan = newScan(rows)
  while (scan.at < bytes.length) {
    scanJsonText(bytes, scan, Math.min(scan.at + SLICE, bytes.length))
    if (bytesBeside(scan.rows!, scan.at) > MOST_BESIDE)
      throw invalid('', `holds more than ${MOST_BESIDE} bytes beside ${rows.member}`)
    const others = turn()
    if (others) await others
  }
  const marks = scan.rows!
  if (marks.open < 0) return parse(bytes.toString('utf8'), '')
  if (marks.close < 0) throw invalid('', `is not valid JSON: it ends within ${rows.member}`)
  const around = Buffer.concat([bytes.subarray(0, marks.open + 1), bytes.subarray(marks.close)])
  const body = parse(around.toString('utf8'), '') as { readonly [name: string]: Json }
  const values: Json[] = []
  for (const [start, end] of spans(bytes, marks)) {
    if (end - start > MOST_OF_ROW) throw tooLarge(`${rows.member}[${values.length}]`)
    values.push(parse(bytes.toString('utf8', start, end), `${rows.member}[${values.length}]`))
    const others = turn()
    if (others) await others
  }
  return { ...body, [rows.member]: values }
}

/** How much of what was scanned up to `at` is not within the brackets of the rows. */
function bytesBeside({ open, close }: RowMarks, at: number): number {
  if (open < 0) return at
  return close < 0 ? open : open + at - close
}

/** The texts between the commas; none in an empty array. */
function spans(bytes: Buffer, { open, close, commas }: RowMarks): (readonly [number, number])[] {
  const starts = [open, ...commas]
  const ends = [...commas, close]
  const all = starts.map((start, index) => [start + 1, ends[index]!] as const)
  const [first] = all
  const isEmpty = all.length === 1 && first && bytes.toString('latin1', ...first).trim() === ''
  return isEmpty ? [] : all
}

function tooLarge(row: string): TooLarge {
  const message = `is larger than ${MOST_OF_ROW} bytes`
  return new TooLarge(`${row} ${message}`, [{ Field: row, Message: message }])
}

function parse(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw invalid(where, `is not valid JSON: ${(error as Error).message}`)
  }
}
