/** The comma-separated names of a query parameter: of `sort`, `fields` and `expand`. */
import { faultAt } from '../filter/fault.ts'

export interface ListedName {
  readonly text: string
  /** Where it begins in the parameter, from 0. */
  readonly at: number
}

/**
 * The names without the blanks around them.
 * @throws Invalid naming the parameter when there is nothing before, between or after commas
 */
export function listedNames(parameter: string, list: string): ListedName[] {
  const names: ListedName[] = []
  let start = 0
  for (const item of list.split(',')) {
    const text = item.trim()
    const at = start + item.length - item.trimStart().length
    if (text === '') throw faultAt(parameter, start, 'expected a field name')
    names.push({ text, at })
    start += item.length + 1
  }
  return names
}
