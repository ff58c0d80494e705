/**
 * The text of a JSON body, looked over byte by byte before anything is made of it: how deep it goes, and whether its
 * numbers are ones that a double keeps digit by digit. Whether it is JSON at all is the parser's to say.
 *
 * A long text is looked over in slices, and the rows in it are found on the way (`json-rows.ts`).
 */
import { isUtf8 } from 'node:buffer'
import { Invalid, invalid } from '../../../domain/errors.ts'

export const MAX_DEPTH = 32

const [QUOTE, BACKSLASH, MINUS, COMMA, BRACKET] = [0x22, 0x5c, 0x2d, 0x2c, 0x5b]
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** How far a text has been looked over. */
export interface Scan {
  at: number
  depth: number
  /** The last text that was passed: before a number or an array it is the name of its member. */
  text: { readonly start: number; readonly end: number }
  /** The name of the record's member that holds what is being passed, while that is an object or an array. */
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
  const start = { at: 0, depth: 0, text: nothing, member: nothing }
  return rows ? { ...start, rows: { ...rows, open: -1, close: -1, commas: [] } } : start
}

/** @throws Invalid when it is no UTF-8, is nested too deep, or has a number that would not come back as it was sent */
export function checkJsonText(bytes: Buffer): void {
  checkUtf8(bytes)
  scanJsonText(bytes, newScan(), bytes.length)
}

/** @throws Invalid */
export function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes))
    throw new Invalid('the body is no valid UTF-8', [{ Field: '', Message: 'is no valid UTF-8' }])
}

/** Looks over the text up to `until` or, where a token lies across it, a little further. @throws Invalid */
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
      if (++depth > MAX_DEPTH) throw tooDeep()
      if (depth === within) scan.member = scan.text
      if (rows && depth === 2 && byte === BRACKET) openRows(bytes, scan, rows, at)
    } else if (CLOSING.has(byte)) {
      if (rows && depth === 2 && rows.open >= 0 && rows.close < 0) rows.close = at
      depth--
    } else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(bytes, at)
      if (!isSure(bytes, at, end) && !isFaithful(bytes.toString('latin1', at, end)))
        throw invalid(fieldAt(bytes, scan, depth), 'has more digits than are kept exactly')
      at = end - 1
    } else if (byte === COMMA && rows && depth === 2 && rows.open >= 0 && rows.close < 0) {
      if (rows.commas.push(at) >= rows.most) throw invalid(rows.member, `must hold 1 to ${rows.most} records`)
    }
  }
  scan.at = at
  scan.depth = depth
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

/** Texts are short mostly, and then this loop is fastest; of a long one the end is searched for, sixteen times as fast. */
const SHORT_TEXT = 48

function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1
  for (const short = Math.min(at + SHORT_TEXT, bytes.length); at < short; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  const clean = at // no escape lies across
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    let escapes = 0
    while (quote - escapes > clean && bytes[quote - escapes - 1] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote
    at = quote + 1
  }
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && isPartOfNumber(bytes[at]!)) at++
  return at
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
const isE = (byte: number) => byte === 0x65 || byte === 0x45
/** Digits, `.`, `+`, `-`, `e`, `E`. */
const isPartOfNumber = (byte: number) =>
  isDigit(byte) || byte === 0x2e || byte === 0x2b || byte === MINUS || isE(byte)

function tooDeep(): Invalid {
  const message = `is nested deeper than ${MAX_DEPTH} levels`
  return new Invalid(`the body ${message}`, [{ Field: '', Message: message }])
}

/** Whether the double nearest to the number is the number itself, digit by digit. */
function isFaithful(source: string): boolean {
  const value = Number(source)
  // What is no number is the parser's concern.
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
