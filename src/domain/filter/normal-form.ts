/**
 * From a condition as it was written to the negation normal form of `ast.ts`. The meaning stays the same for every
 * record, also for one without values: that is why a leaf keeps its operator and is negated as a whole (`not (Rent gt 5)`
 * is not `Rent le 5`).
 */
import type { Filter, Leaf } from './ast.ts'

/** A filter in which `not` may stand anywhere. */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly op: 'not'; readonly term: Condition }
  | Leaf

/**
 * The same condition with `not` only at the leaves and nothing nested that could be flat. Recursion goes as deep as the
 * condition, which the parser has bounded.
 */
export function normalForm(condition: Condition, negated = false): Filter {
  switch (condition.op) {
    case 'not':
      return normalForm(condition.term, !negated)
    case 'and':
    case 'or': {
      const op = negated ? opposite[condition.op] : condition.op
      const terms = condition.terms.map((term) => normalForm(term, negated))
      return { op, terms: terms.flatMap((term) => (term.op === op ? term.terms : [term])) }
    }
    case 'constant':
      return { op: 'constant', value: condition.value !== negated }
    default:
      return { ...condition, negated: condition.negated !== negated }
  }
}

const opposite = { and: 'or', or: 'and' } as const
