/** Filters put together: conditions that must all hold, or of which one must, also for a record further away. */
import type { Filter, Leaf, Path } from './ast.ts'
import { normalForm } from './normal-form.ts'

/** All of them; undefined stands for no condition. */
export function allOf(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const terms = filters.filter((filter) => filter !== undefined)
  return terms.length > 0 ? normalForm({ op: 'and', terms }) : undefined
}

/** One of them. */
export function anyOf(terms: readonly Filter[]): Filter {
  return normalForm({ op: 'or', terms })
}

export function negated(filter: Filter): Filter {
  return normalForm({ op: 'not', term: filter })
}

/** What holds for a record if the filter holds for the one that these lookups lead to. */
export function through(hops: Path['hops'], filter: Filter): Filter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, terms: filter.terms.map((term) => through(hops, term)) }
    case 'constant':
      return filter
    default: {
      const { path } = filter
      const text = [...hops.map(({ lookup }) => lookup.name), path.text].join('/')
      return { ...filter, path: { ...path, text, hops: [...hops, ...path.hops] } }
    }
  }
}

/** Whether a record without the value fulfils the leaf. */
export function holdsWithoutValue(leaf: Exclude<Leaf, { op: 'constant' }>): boolean {
  return positiveHoldsWithoutValue(leaf) !== leaf.negated
}

function positiveHoldsWithoutValue(leaf: Exclude<Leaf, { op: 'constant' }>): boolean {
  switch (leaf.op) {
    case 'isNull':
      return true
    case 'compare':
    case 'measure':
      return leaf.by === 'ne'
    case 'in':
    case 'equalsFolded':
    case 'contains':
    case 'startswith':
    case 'endswith':
      return false
  }
}
