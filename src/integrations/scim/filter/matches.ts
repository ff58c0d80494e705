/** Whether one element of a list passes a filter. Case does not matter in texts. */
import type { ScimFilter, ScimValue } from './ast.ts'

export type Element = Readonly<Record<string, string | boolean>>

/** @param element names in lowercase */
export function matchesElement(filter: ScimFilter, element: Element): boolean {
  switch (filter.op) {
    case 'and':
      return filter.terms.every((term) => matchesElement(term, element))
    case 'or':
      return filter.terms.some((term) => matchesElement(term, element))
    case 'not':
      return !matchesElement(filter.term, element)
    case 'some':
      return false
    case 'pr':
      return valueOf(filter, element) !== undefined
    default:
      return compares(filter.op, valueOf(filter, element), filter.value)
  }
}

/** Whether the filter is about these parts alone. */
export function namesOnly(filter: ScimFilter, parts: readonly string[]): boolean {
  if ('terms' in filter) return filter.terms.every((term) => namesOnly(term, parts))
  if ('term' in filter) return namesOnly(filter.term, parts)
  return parts.includes(filter.path.attribute.toLowerCase())
}

function valueOf(
  { path: { attribute, sub } }: Extract<ScimFilter, { readonly path: unknown }>,
  element: Element,
): string | boolean | undefined {
  const name = attribute.toLowerCase()
  return sub === undefined && Object.hasOwn(element, name) ? element[name] : undefined
}

export function compares(
  op: Exclude<ScimFilter['op'], 'and' | 'or' | 'not' | 'pr' | 'some'>,
  value: string | boolean | undefined,
  wanted: ScimValue,
): boolean {
  const isEqual = value === undefined ? wanted === null : folded(value) === folded(wanted)
  if (op === 'eq') return isEqual
  if (op === 'ne') return !isEqual
  if (typeof value !== 'string' || typeof wanted !== 'string') return false
  const [own, other] = [value.toLowerCase(), wanted.toLowerCase()]
  switch (op) {
    case 'co':
      return own.includes(other)
    case 'sw':
      return own.startsWith(other)
    case 'ew':
      return own.endsWith(other)
    case 'gt':
      return own > other
    case 'ge':
      return own >= other
    case 'lt':
      return own < other
    case 'le':
      return own <= other
  }
}

/** Entra ID writes true and false as texts. */
const folded = (value: ScimValue) => (value === null ? null : String(value).toLowerCase())
