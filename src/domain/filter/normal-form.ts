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
      return joined(
        op,
        condition.terms.map((term) => normalForm(term, negated)),
      )
    }
    case 'constant':
      return { op: 'constant', value: condition.value !== negated }
    default:
      return { ...condition, negated: condition.negated !== negated }
  }
}

/** Terms in normal form put together: nothing nested that could be flat, no constant that decides nothing. */
function joined(op: 'and' | 'or', given: readonly Filter[]): Filter {
  const decisive = op === 'or' // `true` decides an `or`, `false` an `and`
  const terms = given.flatMap((term) => (term.op === op ? term.terms : [term]))
  if (terms.some((term) => term.op === 'constant' && term.value === decisive))
    return { op: 'constant', value: decisive }
  const open = terms.filter(({ op }) => op !== 'constant')
  if (open.length > 1) return { op, terms: open }
  return open[0] ?? { op: 'constant', value: !decisive }
}

const opposite = { and: 'or', or: 'and' } as const
