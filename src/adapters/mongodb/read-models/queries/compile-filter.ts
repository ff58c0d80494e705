/**
 * A filter as a MongoDB query. Every operator is written here and every location comes from a definition; what the
 * caller wrote is only ever a value behind an operator, or escaped text in a pattern.
 *
 * MongoDB's operators have two values, as the syntax tree has: a comparison with a field that is not there is false,
 * `$ne`, `$nin` and `$not` are true for it.
 */
import type { Document } from 'mongodb'
import type { Comparison, Filter, Leaf, Path, Value } from '../../../../domain/filter/ast.ts'
import { holdsWithoutValue } from '../../../../domain/filter/combine.ts'
import { comparesNumbers } from '../../../../domain/filter/evaluate.ts'
import { foldedText } from '../../../../domain/fields/folded-text.ts'
import { keyLocation, locationOf, type Location } from '../locations.ts'

/** Keys of the company's records of an object, not deleted, that fulfil a query. */
export type SelectKeys = (object: string, where: Document) => Promise<readonly string[]>

type Condition = Exclude<Leaf, { op: 'constant' }>

const NOTHING: Document = { _id: { $in: [] } }

/** The query for records of the filter's object. Lookups that lead further than to a display field are followed with `select`. */
export async function compileFilter(filter: Filter, select: SelectKeys): Promise<Document> {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const terms = await Promise.all(filter.terms.map((term) => compileFilter(term, select)))
      return { [`$${filter.op}`]: terms }
    }
    case 'constant':
      return filter.value ? {} : NOTHING
    default:
      return compileCondition(filter, filter.path.hops, select)
  }
}

async function compileCondition(leaf: Condition, hops: Path['hops'], select: SelectKeys): Promise<Document> {
  const location = locationOf(leaf.path, hops)
  if (location) return predicate(leaf, location)
  const [hop, ...rest] = hops
  if (!hop) throw new Error(`${leaf.path.text} leads to no value`)
  // A record without a value at the end of the path may fulfil the leaf; then those that do not are selected.
  const holdsForNull = holdsWithoutValue(leaf)
  const there = await compileCondition(
    holdsForNull ? { ...leaf, negated: !leaf.negated } : leaf,
    rest,
    select,
  )
  const keys = await select(rest[0]?.on.object ?? leaf.path.on.object, there)
  return { [keyLocation(hop.lookup)]: holdsForNull ? { $nin: keys } : { $in: keys } }
}

function predicate(leaf: Condition, { exact, folded = exact }: Location): Document {
  switch (leaf.op) {
    case 'isNull':
      return { [exact]: leaf.negated ? { $ne: null } : { $eq: null } }
    case 'compare':
      return comparison(leaf, exact, folded)
    case 'in': {
      const values = leaf.values.map(scalar)
      if (leaf.negated) return { [exact]: { $nin: values } }
      // Indexes are on the folded form.
      return { [folded]: { $in: values.map(fold) }, [exact]: { $in: values } }
    }
    case 'measure':
      return measured(leaf, exact)
    case 'equalsFolded':
      return { [folded]: leaf.negated ? { $ne: text(leaf.text) } : { $eq: text(leaf.text) } }
    case 'contains':
      return { [folded]: unlessNegated(leaf, { $regex: escaped(leaf.text) }) }
    case 'startswith':
      return { [folded]: unlessNegated(leaf, { $regex: `^${escaped(leaf.text)}` }) }
    case 'endswith':
      // Not `$`, which also matches before a line break at the end.
      return { [folded]: unlessNegated(leaf, { $regex: `${escaped(leaf.text)}\\z` }) }
  }
}

const ORDERING = { gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const

function comparison(leaf: Extract<Condition, { op: 'compare' }>, exact: string, folded: string): Document {
  const value = scalar(leaf.value)
  if (leaf.by === 'eq' || leaf.by === 'ne') {
    if ((leaf.by === 'ne') !== leaf.negated) return { [exact]: { $ne: value } }
    return { [folded]: { $eq: fold(value) }, [exact]: { $eq: value } }
  }
  const isText = leaf.path.kind === 'text'
  const order = { [ORDERING[leaf.by]]: isText ? fold(value) : value }
  return { [isText ? folded : exact]: unlessNegated(leaf, order) }
}

/** Measures as patterns, which every engine that speaks MongoDB's protocol has. */
function measured(leaf: Extract<Condition, { op: 'measure' }>, exact: string): Document {
  const by = leaf.negated ? OPPOSITES[leaf.by] : leaf.by
  const { match, isNot } =
    leaf.of === 'length' ? lengthPattern(by, leaf.value) : partPattern(leaf.of, by, leaf.value)
  const condition = isNot ? { $not: { $regex: match } } : { $regex: match }
  // `$not` holds without a value, too.
  if (isNot) return { [exact]: holdsWithoutValue(leaf) ? condition : { ...condition, $ne: null } }
  return holdsWithoutValue(leaf)
    ? { $or: [{ [exact]: condition }, { [exact]: null }] }
    : { [exact]: condition }
}

const OPPOSITES = { eq: 'ne', ne: 'eq', gt: 'le', le: 'gt', lt: 'ge', ge: 'lt' } as const

interface Pattern {
  readonly match: string
  /** What does not match is meant. */
  readonly isNot: boolean
}

/** So many characters or more; counted repetitions of one after the other never go back. */
function lengthPattern(by: Comparison, value: number): Pattern {
  const least = (count: number) => `^${repeated(count)}`
  switch (by) {
    case 'eq':
    case 'ne':
      return { match: `${least(value)}\\z`, isNot: by === 'ne' }
    case 'ge':
    case 'lt':
      return { match: least(value), isNot: by === 'lt' }
    case 'gt':
    case 'le':
      return { match: least(value + 1), isNot: by === 'le' }
  }
}

/** An engine takes at most 1,000 repetitions in one go. */
function repeated(count: number): string {
  const rest = count % 1_000
  return '[\\s\\S]{1000}'.repeat(Math.floor(count / 1_000)) + (rest > 0 ? `[\\s\\S]{${rest}}` : '')
}

/** The part of text other than a date is 0: less than any that is asked for. */
function partPattern(of: 'month' | 'day', by: Comparison, value: number): Pattern {
  const isNot = by === 'ne' || by === 'lt' || by === 'le'
  const positive = isNot ? OPPOSITES[by] : by
  const all = Array.from({ length: of === 'month' ? 12 : 31 }, (_, i) => i + 1)
  const texts = all
    .filter((one) => comparesNumbers(positive, one, value))
    .map((one) => String(one).padStart(2, '0'))
  // Of no number nothing matches: a date never has a letter there.
  return { match: `^.{${of === 'month' ? 5 : 8}}(${texts.join('|') || 'x'})`, isNot }
}

function unlessNegated({ negated }: { readonly negated: boolean }, condition: Document): Document {
  return negated ? { $not: condition } : condition
}

/** The query for records with a word that begins with each of the words. Words are letters and digits. */
export function compileWords(words: readonly string[]): Document[] {
  return words.map((word) => ({ words: { $regex: `^${escaped(word)}` } }))
}

/** Text as a pattern that matches just it, in MongoDB's dialect (PCRE) and in Go's. */
export function escaped(literal: string): string {
  return text(literal).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function fold(value: Value): Value {
  return typeof value === 'string' ? foldedText(value) : value
}

/** The types say so already; a query is the last place to make sure. */
function scalar(value: Value): Value {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new TypeError('a filter compares with text, numbers and booleans only')
  return value
}

function text(value: string): string {
  if (typeof value !== 'string') throw new TypeError('a filter matches text only')
  return value
}
