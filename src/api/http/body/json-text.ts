/**
 * Checks on the text of a JSON body before it is parsed: how deep it is nested, how many values it holds, and whether
 * a double keeps each of its numbers digit by digit. Whether it is JSON at all is for the parser to say.
 *
 * A long text is scanned in slices, which also finds the rows in it (`json-rows.ts`).
 */
import { isUtf8 } from 'node:buffer'
import { Invalid, invalid } from '../../../domain/errors.ts'

export const MAX_DEPTH = 32
/** The most values that a body may hold, or each row of a body of rows: parsing and judging these takes some 10 ms. */
export const MOST_VALUES = 20_000
/** The most values that all rows of a body may hold together: parsed, they take some 30 MB. */
export const MOST_VALUES_IN_ROWS = 200_000
/** A number of more characters than this is not one that a double keeps. */
const MOST_DIGITS = 1_000

const [QUOTE, BACKSLASH, MINUS, COMMA, COLON, BRACKET] = [0x22, 0x5c, 0x2d, 0x2c, 0x3a, 0x5b]
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** How far a text has been scanned. */
export interface Scan {
  at: number
  depth: number
  /** Values so far: one for each comma and each opening bracket. */
  values: number
  /** How many values there may be until the end of the row, or of a text without rows. */
  mostValues: number
  /** The last text that was passed: before a number or an array it is the name of its member. */
  text: { readonly start: number; readonly end: number }
  /** The name of the record's member that holds the scanned value, while that value is an object or an array. */
  member: { readonly start: number; readonly end: number }
  readonly rows?: RowMarks
}

/** Where the rows of an array are that is a member of the outermost object. */
export interface RowMarks {
  /** Name of the member. */
  readonly member: string
  readonly most: number
  /** Of the array's brackets; -1 before they are found. */
  open: number
  close: number
  /** Of the commas between its rows. */
  readonly commas: number[]
}

export function newScan(rows?: Pick<RowMarks, 'member' | 'most'>): Scan {
  const nothing = { start: 0, end: 0 }
  const start = { at: 0, depth: 0, values: 0, mostValues: MOST_VALUES, text: nothing, member: nothing }
  return rows ? { ...start, rows: { ...rows, open: -1, close: -1, commas: [] } } : start
}

/** @throws Invalid when it is not UTF-8, is nested too deep, holds too much, or has a number that would lose digits */
export function checkJsonText(bytes: Buffer): void {
  checkUtf8(bytes)
  scanJsonText(bytes, newScan(), bytes.length)
}

/** @throws Invalid */
export function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes))
    throw new Invalid('the body is not valid UTF-8', [{ Field: '', Message: 'is not valid UTF-8' }])
}

/** Scans the text up to `until` or, where a token lies across it, a little further. @throws Invalid */
export function scanJsonText(bytes: Buffer, scan: Scan, until: number): void {
  const { rows } = scan
  const within = depthWithin(rows)
  let { depth } = scan
  let at = scan.at
  for (; at < until; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      scan.text = { start: at + 1, end }
      at = end
    } else if (OPENING.has(byte)) {
      if (++scan.values > scan.mostValues) throw tooManyValues(scan)
      if (++depth > MAX_DEPTH) throw tooDeep()
      if (depth === within) scan.member = scan.text
      if (rows && depth === 2 && byte === BRACKET) openRows(bytes, scan, rows, at)
    } else if (CLOSING.has(byte)) {
      if (rows && depth === 2 && rows.open >= 0 && rows.close < 0) rows.close = at
      depth--
    } else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(bytes, at)
      if (
        !isSure(bytes, at, end) &&
        (end - at > MOST_DIGITS || !isFaithful(bytes.toString('latin1', at, end)))
      )
        throw invalid(fieldAt(bytes, scan, depth), 'has more digits than are kept exactly')
      at = end - 1
    } else if (byte === COMMA) {
      if (++scan.values > scan.mostValues) throw tooManyValues(scan)
      if (rows && depth === 2 && rows.open >= 0 && rows.close < 0) nextRow(scan, rows, at)
    }
  }
  scan.at = at
  scan.depth = depth
}

function nextRow(scan: Scan, rows: RowMarks, at: number): void {
  if (rows.commas.push(at) >= rows.most) throw invalid(rows.member, `must hold 1 to ${rows.most} records`)
  scan.mostValues = Math.min(MOST_VALUES_IN_ROWS, scan.values + MOST_VALUES)
}

/** How deep the members of a record's members are. */
const depthWithin = (rows: RowMarks | undefined) => (rows ? 4 : 2)

/** The field of the record that is being passed, in its row. */
function fieldAt(bytes: Buffer, { text, member, rows }: Scan, depth: number): string {
  const name = textAt(bytes, depth < depthWithin(rows) ? text : member).slice(0, 100)
  return rows && rows.open >= 0 && rows.close < 0 ? `${rows.member}[${rows.commas.length}].${name}` : name
}

function openRows(bytes: Buffer, scan: Scan, rows: RowMarks, at: number): void {
  if (textAt(bytes, scan.text) !== rows.member) return
  // Without a colon it is not a member's name, but text in an array.
  if (!bytes.subarray(scan.text.end, at).includes(COLON)) return
  if (rows.open >= 0) throw invalid(rows.member, 'was given more than once')
  rows.open = at
}

function textAt(bytes: Buffer, { start, end }: Scan['text']): string {
  return bytes.toString('utf8', start, end)
}

/** A short number is kept exactly, also with an exponent of two digits. */
function isSure(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > 15) return false
  for (let at = start; at < end; at++) if (isE(bytes[at]!)) return end - at <= 3
  return true
}

/** Most texts are short, and then this loop is fastest; in a long one, searching for its end is sixteen times as fast. */
const SHORT_TEXT = 48

/**
 * The place of the quote that ends the text; the length of `bytes` where none does. Each escaped quote that a search
 * finds doubles how far the loop goes before the next search, so a text of nothing else costs few searches.
 */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1
  for (let stretch = SHORT_TEXT; ; stretch *= 2) {
    for (const until = Math.min(at + stretch, bytes.length); at < until; at++) {
      if (bytes[at] === BACKSLASH) at++
      else if (bytes[at] === QUOTE) return at
    }
    const clean = at // no escape lies across
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    let escapes = 0
    while (quote - escapes > clean && bytes[quote - escapes - 1] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote
    at = quote + 1
  }
}

/** The end of the number, or a place past the most characters that it may have. */
function endOfNumber(bytes: Buffer, start: number): number {
  const last = Math.min(bytes.length, start + MOST_DIGITS + 2)
  let at = start + 1
  while (at < last && isPartOfNumber(bytes[at]!)) at++
  return at
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
const isE = (byte: number) => byte === 0x65 || byte === 0x45
/** Digits, `.`, `+`, `-`, `e`, `E`. */
const isPartOfNumber = (byte: number) =>
  isDigit(byte) || byte === 0x2e || byte === 0x2b || byte === MINUS || isE(byte)

function tooDeep(): Invalid {
  return invalid('', `is nested deeper than ${MAX_DEPTH} levels`)
}

function tooManyValues({ rows, mostValues }: Scan): Invalid {
  if (mostValues === MOST_VALUES_IN_ROWS)
    return invalid('', `holds more than ${MOST_VALUES_IN_ROWS} values; send fewer records at a time`)
  const row = rows && rows.open >= 0 && rows.close < 0 ? `${rows.member}[${rows.commas.length}]` : ''
  return invalid(row, `holds more than ${MOST_VALUES} values`)
}

/** Whether the double nearest to the number is the number itself, digit by digit. */
function isFaithful(source: string): boolean {
  const value = Number(source)
  // What is not a number is refused by the parser.
  return Number.isNaN(value) || (Number.isFinite(value) && digitsOf(source) === digitsOf(String(value)))
}

/** A decimal as its significant digits and the place of the point: `12.50` and `1.25e1` are the same. */
function digitsOf(decimal: string): string {
  const [mantissa = '', exponent = '0'] = decimal.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  const shift = Number(exponent) - fraction.length + (digits.length - significant.length)
  return significant === '' ? '0' : `${significant}e${shift}`
}
