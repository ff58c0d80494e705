/**
 * The text of a filter and its conditions: what `and` joins at the top, each shown as a chip. What is not one of the simple
 * forms stays as it was written. Nothing here decides whether a filter is valid: the service does.
 */

export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
export type TextFunction = 'contains' | 'startswith' | 'endswith'
export type Operator = Comparison | TextFunction

export interface Condition {
  /** `MonthlyRent`, `Tenant/Name`. */
  readonly path: string
  readonly operator: Operator
  /** Without quotes. */
  readonly value: string
  /** Whether the value is written in quotes. */
  readonly isText: boolean
}

/** The conditions that are joined by `and`; one, when the text holds an `or` at the top. */
export function conditionsOf(text: string): readonly string[] {
  const whole = text.trim()
  if (whole === '') return []
  const parts: string[] = []
  let [depth, from, quoted] = [0, 0, false]
  for (let at = 0; at < whole.length; at++) {
    const character = whole[at]
    if (character === "'") quoted = !quoted
    if (quoted) continue
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth > 0) continue
    if (whole.startsWith(' or ', at)) return [whole]
    if (!whole.startsWith(' and ', at)) continue
    parts.push(whole.slice(from, at).trim())
    from = at + ' and '.length
    at = from - 1
  }
  return [...parts, whole.slice(from).trim()]
}

export function joined(conditions: readonly string[]): string {
  return conditions.length === 1
    ? conditions[0]!
    : conditions.map((one) => (hasOr(one) ? `(${one})` : one)).join(' and ')
}

/** Whether it would mean something else beside others. */
function hasOr(condition: string): boolean {
  const inside = condition.replaceAll(/'(?:[^']|'')*'/g, '')
  let depth = 0
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === '(') depth++
    if (inside[at] === ')') depth--
    if (depth === 0 && inside.startsWith(' or ', at)) return true
  }
  return false
}

const PATH = '([A-Z]\\w*(?:/[A-Z]\\w*)*)'
const COMPARED = new RegExp(`^${PATH} (eq|ne|gt|ge|lt|le) (?:'((?:[^']|'')*)'|([\\w.:+-]+))$`)
const CALLED = new RegExp(`^(contains|startswith|endswith)\\(${PATH}, ?'((?:[^']|'')*)'\\)$`)

/** Undefined: it is not one of the simple forms. */
export function readCondition(text: string): Condition | undefined {
  const compared = COMPARED.exec(text)
  if (compared) {
    const [, path = '', operator = '', quoted, plain = ''] = compared
    const value = quoted === undefined ? plain : quoted.replaceAll("''", "'")
    return { path, operator: operator as Comparison, value, isText: quoted !== undefined }
  }
  const called = CALLED.exec(text)
  if (!called) return undefined
  const [, operator = '', path = '', quoted = ''] = called
  return { path, operator: operator as TextFunction, value: quoted.replaceAll("''", "'"), isText: true }
}

export function writeCondition({ path, operator, value, isText }: Condition): string {
  const literal = isText ? `'${value.replaceAll("'", "''")}'` : value
  return operator === 'contains' || operator === 'startswith' || operator === 'endswith'
    ? `${operator}(${path}, ${literal})`
    : `${path} ${operator} ${literal}`
}

/** Every name of a field that stands first in a path. */
export function namesIn(condition: string): readonly string[] {
  const plain = condition.replaceAll(/'(?:[^']|'')*'/g, "''")
  return [...plain.matchAll(/(?<![\w/.:'-])([A-Z]\w*)(?!\()/g)].map(([, name]) => name!)
}
