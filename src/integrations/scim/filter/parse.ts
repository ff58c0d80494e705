/**
 * Filters of SCIM (RFC 7644, 3.4.2.2), and the paths of PATCH (3.5.2), which may hold one:
 *
 *     filter := and { 'or' and }
 *     and    := term { 'and' term }
 *     term   := 'not' '(' filter ')' | '(' filter ')' | path 'pr' | path operator value | path '[' filter ']'
 *     target := path | path '[' filter ']' [ '.' name ]
 *
 * Operators are taken in any case, as directories send them.
 */
import { ScimInvalid, type ScimType } from '../invalid.ts'
import { OPERATORS, type AttributePath, type ScimFilter, type ScimValue } from './ast.ts'
import { tokensOf, type Token } from './tokens.ts'

const MAX_DEPTH = 16
const MOST_CONDITIONS = 50

interface Cursor {
  readonly tokens: readonly Token[]
  readonly wrong: ScimType
  next: number
  conditions: number
}

/** @throws ScimInvalid */
export function parseScimFilter(text: string): ScimFilter {
  const cursor = cursorOf(text, 'invalidFilter')
  const filter = readOr(cursor, 0, false)
  if (peek(cursor).kind !== 'end') throw expected(cursor, 'and, or, or the end')
  return filter
}

export interface PatchTarget {
  readonly path: AttributePath
  readonly filter: ScimFilter | undefined
}

/** @throws ScimInvalid */
export function parsePatchPath(text: string): PatchTarget {
  const cursor = cursorOf(text, 'invalidPath')
  const path = readPath(cursor)
  if (!isMark(peek(cursor), '[')) {
    if (peek(cursor).kind !== 'end') throw expected(cursor, '[ or the end')
    return { path, filter: undefined }
  }
  if (path.sub !== undefined) throw expected(cursor, 'the end')
  const filter = readElement(cursor, 0)
  const after = take(cursor)
  if (after.kind === 'end') return { path, filter }
  const [, sub] = /^\.([A-Za-z$][\w$-]*)$/.exec(after.text) ?? []
  if (after.kind !== 'word' || sub === undefined || peek(cursor).kind !== 'end')
    throw new ScimInvalid('invalidPath', `expected a dot and a name after ] in ${text.slice(0, 200)}`)
  return { path: { ...path, sub }, filter }
}

/** `name.givenName`, with or without the schema before it. @throws ScimInvalid */
export function parseAttributePath(text: string, wrong: ScimType): AttributePath {
  const match = /^(?:(urn:[\w:.-]+):)?([A-Za-z$][\w$-]*)(?:\.([A-Za-z$][\w$-]*))?$/i.exec(text)
  const [, schema, attribute, sub] = match ?? []
  if (attribute === undefined)
    throw new ScimInvalid(wrong, `${text.slice(0, 100)} is not the name of an attribute`)
  return { schema, attribute, sub }
}

function cursorOf(text: string, wrong: ScimType): Cursor {
  return { tokens: tokensOf(text, wrong), wrong, next: 0, conditions: 0 }
}

/** @param inside of an element: there are no elements in it */
function readOr(cursor: Cursor, depth: number, inside: boolean): ScimFilter {
  return readTerms(cursor, 'or', () => readAnd(cursor, depth, inside))
}

function readAnd(cursor: Cursor, depth: number, inside: boolean): ScimFilter {
  return readTerms(cursor, 'and', () => readTerm(cursor, depth, inside))
}

function readTerms(cursor: Cursor, op: 'and' | 'or', read: () => ScimFilter): ScimFilter {
  const terms = [read()]
  while (isWord(peek(cursor), op)) {
    cursor.next++
    terms.push(read())
  }
  return terms.length === 1 ? terms[0]! : { op, terms }
}

function readTerm(cursor: Cursor, depth: number, inside: boolean): ScimFilter {
  if (depth > MAX_DEPTH) throw new ScimInvalid(cursor.wrong, `nested deeper than ${MAX_DEPTH} levels`)
  const isNot = isWord(peek(cursor), 'not') && isMark(cursor.tokens[cursor.next + 1]!, '(')
  if (isNot) cursor.next++
  if (isMark(peek(cursor), '(')) {
    cursor.next++
    const term = readOr(cursor, depth + 1, inside)
    if (!isMark(take(cursor), ')')) throw expected(cursor, 'and, or, or )', -1)
    return isNot ? { op: 'not', term } : term
  }
  if (++cursor.conditions > MOST_CONDITIONS)
    throw new ScimInvalid(cursor.wrong, `more than ${MOST_CONDITIONS} conditions`)
  const path = readPath(cursor)
  if (!inside && isMark(peek(cursor), '[')) return { op: 'some', path, filter: readElement(cursor, depth) }
  return readComparison(cursor, path)
}

function readElement(cursor: Cursor, depth: number): ScimFilter {
  cursor.next++
  const filter = readOr(cursor, depth + 1, true)
  if (!isMark(take(cursor), ']')) throw expected(cursor, 'and, or, or ]', -1)
  return filter
}

function readComparison(cursor: Cursor, path: AttributePath): ScimFilter {
  const word = take(cursor)
  const name = word.text.toLowerCase()
  if (word.kind === 'word' && name === 'pr') return { op: 'pr', path }
  const op = OPERATORS.find((one) => one === name)
  if (word.kind !== 'word' || !op) throw expected(cursor, `one of ${OPERATORS.join(', ')}, pr`, -1)
  return { op, path, value: readValue(cursor) }
}

function readPath(cursor: Cursor): AttributePath {
  const token = take(cursor)
  if (token.kind !== 'word') throw expected(cursor, 'the name of an attribute', -1)
  return parseAttributePath(token.text, cursor.wrong)
}

const CONSTANTS: ReadonlyMap<string, ScimValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readValue(cursor: Cursor): ScimValue {
  const { kind, text } = take(cursor)
  if (kind === 'text') return text
  const constant = CONSTANTS.get(text.toLowerCase())
  if (kind === 'word' && constant !== undefined) return constant
  if (kind === 'word' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  throw expected(cursor, 'a text in quotation marks, a number, true, false or null', -1)
}

const peek = ({ tokens, next }: Cursor): Token => tokens[Math.min(next, tokens.length - 1)]!

function take(cursor: Cursor): Token {
  const token = peek(cursor)
  cursor.next++
  return token
}

const isMark = ({ kind, text }: Token, mark: string) => kind === 'mark' && text === mark
const isWord = ({ kind, text }: Token, word: string) => kind === 'word' && text.toLowerCase() === word

function expected(cursor: Cursor, what: string, offset = 0): ScimInvalid {
  const { tokens, next, wrong } = cursor
  const { text, at } = tokens[Math.min(Math.max(next + offset, 0), tokens.length - 1)]!
  return new ScimInvalid(wrong, `expected ${what} at ${at + 1}, not ${text.slice(0, 100)}`)
}
