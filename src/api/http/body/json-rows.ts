/**
 * A JSON body of many rows, `{"Records": [...], ...}`, parsed row by row, so that ten megabytes of it hold up nobody.
 * The value is the one that `JSON.parse` would give.
 */
import { invalid, Invalid } from '../../../domain/errors.ts'
import { isObject } from '../../../domain/fields/field-values.ts'
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

/** @throws Invalid when it is no JSON, or is beyond the limits of `json-text.ts` or of `rows` */
export async function parseRows(bytes: Buffer, rows: RowsOf, turn: Pace = pace()): Promise<Json> {
  checkUtf8(bytes)
  const scan = newScan(rows)
  while (scan.at < bytes.length) {
    scanJsonText(bytes, scan, Math.min(scan.at + SLICE, bytes.length))
    const others = turn()
    if (others) await others
  }
  const marks = scan.rows!
  if (marks.open < 0 || marks.close < 0) return parse(bytes.toString('utf8'), '')
  const around = Buffer.concat([bytes.subarray(0, marks.open + 1), bytes.subarray(marks.close)])
  const body = parse(around.toString('utf8'), '')
  // An array in which the name stood before another one.
  if (!isObject(body)) return parse(bytes.toString('utf8'), '')
  const values: Json[] = []
  for (const [start, end] of spans(bytes, marks)) {
    values.push(parse(bytes.toString('utf8', start, end), `${rows.member}[${values.length}]`))
    const others = turn()
    if (others) await others
  }
  return { ...body, [rows.member]: values }
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

function parse(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    const message = `is no valid JSON: ${(error as Error).message}`
    if (where !== '') throw invalid(where, message)
    throw new Invalid(`the body ${message}`, [{ Field: '', Message: message }])
  }
}
