/** Which values a path is compared with, and how they are written. */
import { isDate, secondsOf, utcTimestamp } from '../fields/dates.ts'
import { targetOf } from '../definition.ts'
import { rulesOfType } from '../fields/field-values.ts'
import type { TypeRules } from '../fields/types/rules.ts'
import type { Path, Value } from './ast.ts'
import { expected, expectMark, keywordOf, namesField, peek, take, takeCall, type Cursor } from './cursor.ts'
import { faultAt, quoted } from './fault.ts'
import type { Token } from './tokens.ts'

/** What a path is compared with. */
export type Takes = TypeRules['takes']

export const CASE_FUNCTIONS = ['tolower', 'toupper'] as const

/** Keys are the record's own Id and lookups; every other text, also of choices and currencies, is text. */
export function takes({ field, part }: Path): Takes {
  if (part) return part === 'Amount' ? 'number' : 'text'
  return field.name === 'Id' ? 'key' : rulesOfType(field).takes
}

/**
 * The value that comes next, in the form in which the path's values are stored. Dates and timestamps may stand in
 * quotes; an offset is applied and a fraction of a second cut off, as when a record is written. A choice is any text,
 * and a Key any text that begins as one: what no record holds matches nothing.
 * @throws Invalid for a value of another type
 */
export function readValue(cursor: Cursor, path: Path): Value {
  const type = takes(path)
  if (type === 'text') return readText(cursor, path)
  if (type === 'date' || type === 'timestamp') {
    const present = readPresent(cursor, type)
    if (present !== undefined) return present
  }
  const value = readers[type](peek(cursor), path)
  if (value === undefined) throw wrongValue(cursor, path)
  cursor.next++
  return value
}

/** A text in quotes, or with its case changed: `tolower('New')`. */
export function readText(cursor: Cursor, path: Path): string {
  const changed = takeCall(cursor, CASE_FUNCTIONS)
  if (peek(cursor).kind !== 'text') throw wrongValue(cursor, path, 'text')
  const { text } = take(cursor)
  if (!changed) return text
  expectMark(cursor, ')', 'the text')
  return changed === 'tolower' ? text.toLowerCase() : text.toUpperCase()
}

/** `now()` or `today()`, of dates the day (UTC). Undefined: neither comes next. */
function readPresent(cursor: Cursor, type: 'date' | 'timestamp'): string | undefined {
  const { at } = peek(cursor)
  const called = takeCall(cursor, PRESENT)
  if (!called) return undefined
  expectMark(cursor, ')', `${called}(`)
  const { written } = cursor
  if (!(written instanceof Date))
    throw faultAt('filter', at, `${called}() in a filter that is kept`, 'write a date')
  const text = written.toISOString()
  if (type === 'date') return text.slice(0, 10)
  return called === 'now' ? secondsOf(text) : `${text.slice(0, 10)}T00:00:00Z`
}

const PRESENT = ['now', 'today'] as const

type Reader = (token: Token, path: Path) => Value | undefined

const readers: { readonly [type in Exclude<Takes, 'text'>]: Reader } = {
  key: ({ kind, text }, path) =>
    kind === 'text' && text.startsWith(`${objectOf(path)}-`) ? text : undefined,
  number: ({ kind, text, at }) => (kind === 'literal' ? readNumber(text, at) : undefined),
  boolean: (token) => {
    const keyword = keywordOf(token)
    return keyword === 'true' ? true : keyword === 'false' ? false : undefined
  },
  date: ({ kind, text }) => ((kind === 'literal' || kind === 'text') && isDate(text) ? text : undefined),
  timestamp: ({ kind, text }) => (kind === 'literal' || kind === 'text' ? utcTimestamp(text) : undefined),
}

/** The object whose Keys the path holds. */
function objectOf({ on, field }: Path): string {
  return field.target ?? on.object
}

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

function readNumber(text: string, at: number): number | undefined {
  if (!NUMBER.test(text)) return undefined
  const value = Number(text)
  // 9007199254740993 would silently be ...992: another number than was asked for.
  if (!Number.isFinite(value) || digitsOf(text) !== digitsOf(String(value)))
    throw faultAt('filter', at, `${quoted(text)} has more digits than a number keeps`)
  return value === 0 ? 0 : value // -0 is 0
}

/** The significant digits of a number's text. */
function digitsOf(text: string): string {
  const digits = text
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

const wanted: { readonly [type in Takes]: (path: Path) => string } = {
  text: () => 'a text in single quotes',
  key: (path) => `a Key such as '${objectOf(path)}-…'`,
  number: () => 'a number',
  boolean: () => 'true or false',
  date: () => 'a date such as 2026-01-31',
  timestamp: () => 'a timestamp such as 2026-01-31T10:00:00Z',
}

function wrongValue(cursor: Cursor, path: Path, type = takes(path)): Error {
  return expected(`${wanted[type](path)} for ${path.text}`, peek(cursor), hintFor(cursor, path, type))
}

function hintFor(cursor: Cursor, path: Path, type: Takes): string | undefined {
  const token = peek(cursor)
  const { kind, text } = token
  if (kind === 'end' || kind === 'mark') return undefined
  if (keywordOf(token) === 'null') return 'null is compared by eq, ne and in'
  const keyword = keywordOf(token)
  if ((type === 'date' || type === 'timestamp') && (keyword === 'now' || keyword === 'today'))
    return `write ${keyword}()`
  if (namesField(cursor, token)) return 'one field cannot be compared with another'
  switch (type) {
    case 'text':
      return `write '${quoted(text)}'`
    case 'number':
      return kind === 'text' && NUMBER.test(text) ? `write ${quoted(text)} without quotes` : undefined
    case 'boolean':
      return /^(true|false)$/i.test(text) ? `write ${text} without quotes` : undefined
    case 'date':
      return utcTimestamp(text) && `write ${text.slice(0, 10)}`
    case 'timestamp':
      if (isDate(text)) return `write ${text}T00:00:00Z`
      return utcTimestamp(`${text}Z`) && 'it needs Z or an offset (in a URL, + is %2B)'
    case 'key':
      return kind === 'text' ? displayHint(cursor, path) : undefined
  }
}

/** How to reach what is shown of a lookup, for those who compare it as if it were text. */
export function displayHint({ definitions }: Cursor, { field, text }: Path): string | undefined {
  if (field.type !== 'lookup') return undefined
  const { display } = targetOf(definitions, field)
  return `for its ${display} write ${text.replace(/\/Id$/, '')}/${display}`
}
