/** Where the parser of a filter stands, and how it says what it expected. */
import { fieldOf, type Definitions, type ObjectDefinition } from '../definition.ts'
import type { Invalid } from '../errors.ts'
import { faultAt, quoted } from './fault.ts'
import { resolvePath } from './path.ts'
import type { Path } from './ast.ts'
import type { Token } from './tokens.ts'

/**
 * What becomes of a filter that a client or a file brings: it is asked once, at the moment that `now()` stands for, or it is
 * kept, and has no `now()`. The choices that it names have to be there; one that was kept earlier outlives them.
 */
export type Written = Date | 'kept'

export interface Cursor {
  readonly tokens: readonly Token[]
  /** Index of the next token. */
  next: number
  /** How many conditions were read, in what they are written out as. */
  conditions: number
  readonly definition: ObjectDefinition
  readonly definitions: Definitions
  readonly written?: Written | undefined
}

/** The next token, or one further on; past the end it is the end. */
export function peek({ tokens, next }: Cursor, further = 0): Token {
  return tokens[Math.min(next + further, tokens.length - 1)]!
}

export function take(cursor: Cursor): Token {
  const token = peek(cursor)
  cursor.next++
  return token
}

export function isMark({ kind, text }: Token, mark: string): boolean {
  return kind === 'mark' && text === mark
}

/** Takes the next token if it is this mark. */
export function takeMark(cursor: Cursor, mark: string): boolean {
  const found = isMark(peek(cursor), mark)
  if (found) cursor.next++
  return found
}

/** @throws Invalid when the next token is another */
export function expectMark(cursor: Cursor, mark: string, after: string): void {
  if (!takeMark(cursor, mark)) throw expected(`${mark} after ${after}`, peek(cursor))
}

/** The keyword that the token is, in lowercase; undefined for anything but a word. Keywords are taken in any case. */
export function keywordOf(token: Token): string | undefined {
  return token.kind === 'word' ? token.text.toLowerCase() : undefined
}

/** Whether the token begins with a field of the object. A field named like a keyword (`Not`, `True`) is the field. */
export function namesField({ definition }: Cursor, token: Token): boolean {
  return token.kind === 'word' && fieldOf(definition, token.text.split('/', 1)[0]!) !== undefined
}

/** Takes `name(`, in any case, if it comes next: the name in lowercase. */
export function takeCall<Name extends string>(cursor: Cursor, names: readonly Name[]): Name | undefined {
  const keyword = keywordOf(peek(cursor))
  const name = isMark(peek(cursor, 1), '(') ? names.find((known) => known === keyword) : undefined
  if (name) cursor.next += 2
  return name
}

const MAX_CONDITIONS = 50

/** @throws Invalid when the filter has more conditions than a query may have */
export function countConditions(cursor: Cursor, more: number, at: number): void {
  cursor.conditions += more
  if (cursor.conditions > MAX_CONDITIONS)
    throw faultAt('filter', at, `more than ${MAX_CONDITIONS} conditions`)
}

/** @throws Invalid for an unknown path, and for json fields, which are not filtered */
export function takePath(cursor: Cursor): Path {
  const { text, at, kind } = peek(cursor)
  if (kind !== 'word') throw expected('a field', peek(cursor), swappedHint(cursor))
  const { definition, definitions } = cursor
  const path = resolvePath({ parameter: 'filter', text, at, definition, definitions })
  if (path.field.type === 'json')
    throw faultAt('filter', at, `json field ${quoted(text)}`, 'json fields cannot be filtered')
  cursor.next++
  return path
}

/** For `contains('x', Notes)`. */
function swappedHint(cursor: Cursor): string | undefined {
  const field = peek(cursor, 2)
  const isSwapped = peek(cursor).kind === 'text' && isMark(peek(cursor, 1), ',') && field.kind === 'word'
  return isSwapped
    ? `the field comes first: ${quoted(field.text)}, '${quoted(peek(cursor).text)}'`
    : undefined
}

/** What other languages write. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['&', 'write and'],
  ['&&', 'write and'],
  ['|', 'write or'],
  ['||', 'write or'],
  ['!', 'write not'],
  ['"', 'text is written in single quotes'],
])

/** The fault of a token that does not belong there. */
export function expected(what: string, token: Token, hint?: string): Invalid {
  const found =
    token.kind === 'end' ? 'the end' : token.kind === 'text' ? `'${quoted(token.text)}'` : quoted(token.text)
  const spelling = token.kind === 'mark' ? spellings.get(token.text) : undefined
  return faultAt('filter', token.at, `expected ${what}, found ${found}`, hint ?? spelling)
}
