/** One condition of a filter: an operand, then an operator and a value of the operand's type. */
import { foldedText } from '../fields/folded-text.ts'
import type { Path, Value } from './ast.ts'
import { countConditions, expected, expectMark, keywordOf, peek, takeMark, type Cursor } from './cursor.ts'
import { didYouMean } from './closest-name.ts'
import { faultAt, quoted } from './fault.ts'
import { readMeasured } from './measured.ts'
import type { Condition } from './normal-form.ts'
import { isTrue, type Operand } from './operand.ts'
import { readText, readValue, takes } from './values.ts'

const OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in'] as const
type Operator = (typeof OPERATORS)[number]

/** What other languages call the operators. */
const SPELLINGS: ReadonlyMap<string, Operator> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['===', 'eq'],
  ['is', 'eq'],
  ['equals', 'eq'],
  ['!=', 'ne'],
  ['!==', 'ne'],
  ['<>', 'ne'],
  ['neq', 'ne'],
  ['>', 'gt'],
  ['>=', 'ge'],
  ['gte', 'ge'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['lte', 'le'],
])

/**
 * The condition that an operand makes with the operator and value that come next, or by itself.
 * @throws Invalid for an operator that the type does not take, or a value of another type
 */
export function readComparison(cursor: Cursor, operand: Operand): Condition {
  const token = peek(cursor)
  const operator = OPERATORS.find((name) => name === keywordOf(token))
  if ('condition' in operand)
    return operator ? compareCondition(cursor, operand.condition) : operand.condition
  if (keywordOf(token) === 'not' && keywordOf(peek(cursor, 1)) === 'in') {
    cursor.next++
    return { op: 'not', term: readComparison(cursor, operand) }
  }
  if ('measure' in operand) return readMeasured(cursor, operand)
  const { path, folded } = operand
  const operators = operatorsOf(operand)
  if (!operator) {
    if (takes(path) === 'boolean') return isTrue(path)
    throw expected(
      `an operator (${operators.join(', ')}) after ${quoted(path.text)}`,
      token,
      operatorHint(cursor, path.text),
    )
  }
  if (!operators.includes(operator)) {
    const left = folded ? 'tolower and toupper take' : `${quoted(path.text)} takes`
    throw faultAt('filter', token.at, `${left} ${operators.join(', ')}, not ${operator}`)
  }
  cursor.next++
  if (operator === 'in') return readIn(cursor, path, folded)
  if ((operator === 'eq' || operator === 'ne') && takeNull(cursor))
    return { op: 'isNull', path, negated: operator === 'ne' }
  const { at } = peek(cursor)
  if (folded) return equalsFolded(path, readText(cursor, path), operator === 'ne')
  const value = readValue(cursor, path)
  if (operator === 'eq' || operator === 'ne') checkChoice(cursor, path, value, at)
  return { op: 'compare', path, by: operator, value, negated: false }
}

/** What is meant by the operators that others have. */
function operatorHint(cursor: Cursor, path: string): string | undefined {
  const token = peek(cursor)
  const word = token.text.toLowerCase()
  const spelling = SPELLINGS.get(word)
  if (spelling) return `write ${spelling}`
  const name = quoted(path)
  if (PATTERNS.has(word) || keywordOf(peek(cursor, 1)) === 'like') return `write contains(${name}, '…')`
  if (word === 'startswith' || word === 'endswith') return `write ${word}(${name}, '…')`
  if (word === 'between') return `write ${name} ge … and ${name} le …`
  if (word === '.' && peek(cursor, 1).kind === 'word') return `write ${name}/${quoted(peek(cursor, 1).text)}`
  return undefined
}

const PATTERNS: ReadonlySet<string> = new Set([
  'like',
  'ilike',
  'contains',
  'has',
  'includes',
  'matches',
  '~',
])

/** @throws Invalid for a value that no record can have, where the filter is written now */
function checkChoice({ written }: Cursor, { field, part, text }: Path, value: Value, at: number): void {
  const { type, strict, choices = [] } = field
  if (!written || part || type !== 'choice' || !strict || choices.includes(String(value))) return
  const hint = didYouMean(String(value), choices) ?? `it is one of ${choices.join(', ')}`
  throw faultAt('filter', at, `${quoted(text)} is never '${quoted(String(value))}'`, hint)
}

function operatorsOf({ path, folded }: { path: Path; folded: boolean }): readonly Operator[] {
  const { type } = path.field
  return folded || type === 'lookup' || type === 'boolean' ? ['eq', 'ne', 'in'] : OPERATORS
}

/** `contains(…) eq true`, `not IsActive eq false`: OData's conditions are values like any other. */
function compareCondition(cursor: Cursor, condition: Condition): Condition {
  const operator = keywordOf(peek(cursor))
  if (operator !== 'eq' && operator !== 'ne')
    throw faultAt('filter', peek(cursor).at, `a condition takes eq and ne, not ${operator}`)
  cursor.next++
  const value = keywordOf(peek(cursor))
  if (value !== 'true' && value !== 'false') throw expected('true or false for a condition', peek(cursor))
  cursor.next++
  return (operator === 'eq') === (value === 'true') ? condition : { op: 'not', term: condition }
}

/** `null` in the list stands for "no value", which is a condition of its own; so is each text in any case. */
function readIn(cursor: Cursor, path: Path, folded: boolean): Condition {
  expectMark(cursor, '(', 'in')
  const { at } = peek(cursor)
  const values = new Set<Value>()
  let orNull = false
  do {
    if (takeNull(cursor)) orNull = true
    else {
      const place = peek(cursor).at
      const value = folded ? foldedText(readText(cursor, path)) : readValue(cursor, path)
      if (!folded) checkChoice(cursor, path, value, place)
      values.add(value)
    }
  } while (takeMark(cursor, ','))
  if (!takeMark(cursor, ')')) throw expected(', or ) after a value', peek(cursor))
  const terms: Condition[] = []
  if (folded) for (const text of values) terms.push(equalsFolded(path, String(text), false))
  else if (values.size > 0) terms.push({ op: 'in', path, values: [...values], negated: false })
  if (orNull) terms.push({ op: 'isNull', path, negated: false })
  countConditions(cursor, terms.length - 1, at) // the first has been counted
  return terms.length === 1 ? terms[0]! : { op: 'or', terms }
}

function equalsFolded(path: Path, text: string, negated: boolean): Condition {
  return { op: 'equalsFolded', path, text: foldedText(text), negated }
}

function takeNull(cursor: Cursor): boolean {
  const found = keywordOf(peek(cursor)) === 'null'
  if (found) cursor.next++
  return found
}
