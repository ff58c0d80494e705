/** What stands on the left of a comparison: a path, a path in `tolower()`, or what is a condition by itself. */
import { foldedText } from '../fields/folded-text.ts'
import { invalid } from '../errors.ts'
import { MEASURES, type Measure, type Path } from './ast.ts'
import { didYouMean } from './closest-name.ts'
import {
  countConditions,
  expected,
  expectMark,
  isMark,
  keywordOf,
  namesField,
  peek,
  takeCall,
  takePath,
  type Cursor,
} from './cursor.ts'
import { faultAt, quoted } from './fault.ts'
import type { Condition } from './normal-form.ts'
import type { Token } from './tokens.ts'
import { CASE_FUNCTIONS, displayHint, readText, takes } from './values.ts'

export type Operand =
  /** `folded`: in `tolower` or `toupper`. */
  | { readonly path: Path; readonly folded: boolean; readonly token: Token }
  | { readonly path: Path; readonly measure: Measure | 'year' }
  | { readonly condition: Condition }

const MATCHES = ['contains', 'startswith', 'endswith'] as const
const PARTS = [...MEASURES, 'year'] as const

/** @throws Invalid when no path, function, `true` or `false` comes next, or too many conditions have come already */
export function readOperand(cursor: Cursor): Operand {
  const token = peek(cursor)
  countConditions(cursor, 1, token.at)
  if (token.kind !== 'word') {
    const isValue = token.kind === 'literal' || token.kind === 'text'
    throw expected(
      'a condition',
      token,
      isValue ? 'the field comes first, then what it is compared with' : undefined,
    )
  }
  if (namesField(cursor, token)) return { path: takePath(cursor), folded: false, token }
  if (isMark(peek(cursor, 1), '(')) return readFunction(cursor)
  const keyword = keywordOf(token)
  if (keyword === 'and' || keyword === 'or') throw expected('a condition', token)
  if (keyword !== 'true' && keyword !== 'false') return { path: takePath(cursor), folded: false, token }
  cursor.next++
  return { condition: { op: 'constant', value: keyword === 'true' } }
}

/** The operand as a condition without an operator: only what is true or false can be one. */
export function conditionOf(operand: Operand): Condition {
  if ('condition' in operand) return operand.condition
  if ('measure' in operand)
    throw invalid(
      'filter',
      `compare ${operand.measure}(${quoted(operand.path.text)}) in parentheses: not (… eq 1)`,
    )
  const { path, token } = operand
  if (takes(path) === 'boolean') return isTrue(path)
  const hint = `put the comparison in parentheses: not (${quoted(path.text)} …)`
  throw faultAt('filter', token.at, `not takes a condition, found ${quoted(path.text)}`, hint)
}

/** A boolean field by itself: a record without a value is not true. */
export function isTrue(path: Path): Condition {
  return { op: 'compare', path, by: 'eq', value: true, negated: false }
}

function readFunction(cursor: Cursor): Operand {
  const token = peek(cursor)
  const match = takeCall(cursor, MATCHES)
  if (match) {
    // These ignore case, so tolower around the path changes nothing.
    const folded = takeCall(cursor, CASE_FUNCTIONS)
    const path = takeTextPath(cursor, match)
    if (folded) expectMark(cursor, ')', path.text)
    expectMark(cursor, ',', path.text)
    const text = foldedText(readText(cursor, path))
    expectMark(cursor, ')', 'the text')
    return { condition: { op: match, path, text, negated: false } }
  }
  const folded = takeCall(cursor, CASE_FUNCTIONS)
  if (folded) {
    const path = takeTextPath(cursor, folded)
    expectMark(cursor, ')', path.text)
    return { path, folded: true, token }
  }
  const measure = takeCall(cursor, PARTS)
  if (measure) {
    const path = measure === 'length' ? takeTextPath(cursor, measure) : takeTimePath(cursor, measure)
    expectMark(cursor, ')', path.text)
    return { path, measure }
  }
  const known = [...MATCHES, ...CASE_FUNCTIONS, ...PARTS]
  const hint = didYouMean(token.text, known) ?? `known are ${known.join(', ')}`
  throw faultAt('filter', token.at, `unknown function ${quoted(token.text)}`, hint)
}

function takeTimePath(cursor: Cursor, name: string): Path {
  const { at } = peek(cursor)
  const path = takePath(cursor)
  if (takes(path) === 'date' || takes(path) === 'timestamp') return path
  throw faultAt('filter', at, `${name} takes a date or a timestamp, not ${quoted(path.text)}`)
}

function takeTextPath(cursor: Cursor, name: string): Path {
  const { at } = peek(cursor)
  const path = takePath(cursor)
  if (takes(path) === 'text') return path
  throw faultAt(
    'filter',
    at,
    `${name} takes a text field, not ${quoted(path.text)}`,
    displayHint(cursor, path),
  )
}
