/**
 * The filter of a list (docs/interface.md#filters, docs/open-facts.md 11 and 12): a subset of OData 4.01's `$filter`.
 *
 *     filter     := and { 'or' and }
 *     and        := comparison { 'and' comparison }
 *     comparison := unary [ operator value | 'not' 'in' values ]
 *     unary      := 'not' unary | '(' filter ')' | function | path | 'true' | 'false'
 *
 * As in OData `not` binds tighter than a comparison, so `not Rent gt 5` is refused; `not (Rent gt 5)` is valid. Text
 * that is not understood is refused, never ignored: a filter ignored would return everyone's rows.
 */
import type { Definitions, ObjectDefinition } from '../definition.ts'
import { invalid } from '../errors.ts'
import type { Filter } from './ast.ts'
import { readComparison } from './comparison.ts'
import {
  expected,
  isMark,
  keywordOf,
  namesField,
  peek,
  takeMark,
  type Cursor,
  type Written,
} from './cursor.ts'
import { faultAt } from './fault.ts'
import { normalForm, type Condition } from './normal-form.ts'
import { conditionOf, readOperand, type Operand } from './operand.ts'
import { tokensOf } from './tokens.ts'

const MAX_BYTES = 4_096
/** How many parentheses and `not` may lie within one another; recursion goes no deeper. */
const MAX_DEPTH = 16

/**
 * The filter that the text says, checked against the definitions.
 * @param written of a filter that is read for the first time: what becomes of it; then the choices that it names must be there, too
 * @throws Invalid with `Field: 'filter'` and a message that says where, what was expected and, if there is a good guess, what
 *   was meant; also for more than 4 KiB, 50 conditions or 16 levels
 */
export function parseFilter(
  text: string,
  definition: ObjectDefinition,
  definitions: Definitions,
  written?: Written,
): Filter {
  if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES)
    throw invalid('filter', `is longer than ${MAX_BYTES} bytes`)
  const strange = text.search(/\0|\p{Surrogate}/u)
  if (strange >= 0) throw faultAt('filter', strange, 'a character that no record can hold')
  const cursor: Cursor = { tokens: tokensOf(text), next: 0, conditions: 0, definition, definitions, written }
  const condition = readOr(cursor, 0)
  if (peek(cursor).kind !== 'end') throw expected('and, or, or the end', peek(cursor))
  return normalForm(condition)
}

function readOr(cursor: Cursor, depth: number): Condition {
  return readTerms(cursor, 'or', () => readAnd(cursor, depth))
}

function readAnd(cursor: Cursor, depth: number): Condition {
  return readTerms(cursor, 'and', () => readComparison(cursor, readUnary(cursor, depth)))
}

function readTerms(cursor: Cursor, op: 'and' | 'or', readTerm: () => Condition): Condition {
  const first = readTerm()
  if (keywordOf(peek(cursor)) !== op) return first
  const terms = [first]
  while (keywordOf(peek(cursor)) === op) {
    cursor.next++
    terms.push(readTerm())
  }
  return { op, terms }
}

function readUnary(cursor: Cursor, depth: number): Operand {
  const token = peek(cursor)
  const isNot = keywordOf(token) === 'not' && !namesField(cursor, token)
  if (!isNot && !isMark(token, '(')) return readOperand(cursor)
  if (depth === MAX_DEPTH) throw faultAt('filter', token.at, `nested deeper than ${MAX_DEPTH} levels`)
  cursor.next++
  if (isNot) return { condition: { op: 'not', term: conditionOf(readUnary(cursor, depth + 1)) } }
  const condition = readOr(cursor, depth + 1)
  if (!takeMark(cursor, ')')) throw expected('and, or, or )', peek(cursor))
  return { condition }
}
