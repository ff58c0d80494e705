/**
 * The text of a JSON body, looked over byte by byte before anything is made of it: how deep it goes, and whether its
 * numbers are ones that a double keeps digit by digit. Whether it is JSON at all is the parser's to say.
 */
import { isUtf8 } from 'node:buffer'
import { Invalid, invalid } from '../domain/errors.ts'

export const MAX_DEPTH = 32

const [QUOTE, BACKSLASH, MINUS] = [0x22, 0x5c, 0x2d]
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** @throws Invalid when it is no UTF-8, is nested too deep, or has a number that would not come back as it was sent */
export function checkJsonText(bytes: Buffer): void {
  if (!isUtf8(bytes))
    throw new Invalid('the body is no valid UTF-8', [{ Field: '', Message: 'is no valid UTF-8' }])
  let depth = 0
  let text = { start: 0, end: 0 } // the last text: before a number it is the name of its member
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      text = { start: at + 1, end }
      at = end
    } else if (OPENING.has(byte)) {
      if (++depth > MAX_DEPTH) throw tooDeep()
    } else if (CLOSING.has(byte)) depth--
    else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(bytes, at)
      if (!isSure(bytes, at, end) && !isFaithful(bytes.toString('latin1', at, end)))
        throw invalid(
          bytes.toString('utf8', text.start, text.end).slice(0, 100),
          'has more digits than are kept exactly',
        )
      at = end - 1
    }
  }
}

/** A short number is kept exactly, also with an exponent of two digits. */
function isSure(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > 15) return false
  for (let at = start; at < end; at++) if (isE(bytes[at]!)) return end - at <= 3
  return true
}

function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
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
