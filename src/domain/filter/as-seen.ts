/**
 * A filter for a principal who may not see everything: a value that is not shown counts as missing. So the records that match reveal nothing about hidden values of the records that they look up.
 */
import { fieldOf, type ObjectDefinition } from '../definition.ts'
import type { Filter, Leaf, Path } from './ast.ts'
import { allOf, anyOf, holdsWithoutValue, negated, through } from './combine.ts'

/** The records of an object that show the field; undefined: all of them. */
export type RowsShowing = (object: string, field: string) => Filter | undefined

export function asSeen(filter: Filter, rowsShowing: RowsShowing): Filter {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map((term) => asSeen(term, rowsShowing))
      return filter.op === 'and' ? allOf(terms)! : anyOf(terms)
    }
    case 'constant':
      return filter
    default:
      return leafAsSeen(filter, rowsShowing)
  }
}

/** Whether all that the path leads over is shown, in every record. */
export function isShown(path: Path, rowsShowing: RowsShowing): boolean {
  return stepsOf(path).every(({ on, field }) => rowsShowing(on.object, field) === undefined)
}

type Tested = Exclude<Leaf, { op: 'constant' }>

function leafAsSeen(leaf: Tested, rowsShowing: RowsShowing): Filter {
  const shown = allOf(
    stepsOf(leaf.path).map(({ on, field, hops }) => {
      const rows = rowsShowing(on.object, field)
      if (!rows || rows.op === 'constant') return rows
      return through(hops, allOf([rows, isThere(on)])!)
    }),
  )
  if (!shown) return leaf
  return holdsWithoutValue(leaf) ? anyOf([leaf, negated(shown)]) : allOf([leaf, shown])!
}

/** The records that the path leads over beyond the first, the field that it takes of each, and the way there. */
function stepsOf({ hops, on, field }: Path) {
  return hops.map((_, i) => ({
    on: hops[i + 1]?.on ?? on,
    field: hops[i + 1]?.lookup.name ?? field.name,
    hops: hops.slice(0, i + 1),
  }))
}

/** A deleted record still shows its name, but cannot be judged. */
function isThere(on: ObjectDefinition): Filter {
  const field = fieldOf(on, 'CreatedAt')!
  return { op: 'isNull', path: { text: field.name, hops: [], on, field, kind: 'exact' }, negated: true }
}
