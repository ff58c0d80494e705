/** What a filter speaks of. */
import type { Filter, Path } from './ast.ts'

/** The path of each of its conditions, in their order. */
export function pathsOf(filter: Filter): Path[] {
  if ('terms' in filter) return filter.terms.flatMap(pathsOf)
  return filter.op === 'constant' ? [] : [filter.path]
}
