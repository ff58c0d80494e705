/** Any JSON; neither filtered nor sorted. */
import type { Json } from '../../json.ts'
import { fault, isStorable, type TypeRules } from './rules.ts'

export const json: TypeRules = {
  read: (value) =>
    allStorable(value)
      ? value
      : fault('holds text that cannot be stored: NUL, half of a surrogate pair, or a member named __proto__'),
  holds: () => true,
  compares: 'exact',
  takes: 'text',
  indexed: false,
}

/** The API has bounded the depth, so recursion is safe. */
function allStorable(value: Json): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(
    ([name, member]) => isStorable(name) && name !== '__proto__' && allStorable(member),
  )
}
