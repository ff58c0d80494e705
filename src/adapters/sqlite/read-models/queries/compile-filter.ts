/**
 * A filter as SQL. Every value is a parameter and every name comes from a definition: nothing of the caller's text
 * becomes SQL.
 *
 * The syntax tree has no `not` above its leaves, so SQL's third value needs no care: a leaf that compares with NULL
 * yields NULL, which AND, OR and WHERE take for false; leaves that hold for NULL say so.
 */
import { isIndexed } from '../../../../domain/fields/field-values.ts'
import type { Filter, Path, Value } from '../../../../domain/filter/ast.ts'
import { holdsWithoutValue } from '../../../../domain/filter/combine.ts'
import { foldedText } from '../../../../domain/fields/folded-text.ts'
import { indexOn, isText, quoted, tableOf, type SqlValue } from '../columns.ts'

export interface Sql {
  readonly text: string
  readonly params: readonly SqlValue[]
}

type Leaf = Exclude<Filter, { op: 'and' | 'or' | 'constant' }>

const sql = (text: string, ...params: SqlValue[]): Sql => ({ text, params })

/** A condition on the row `alias` of the filter's object. */
export function compileFilter(filter: Filter, alias: string, company: number): Sql {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map((term) => compileFilter(term, alias, company))
      return sql(
        `(${terms.map(({ text }) => text).join(` ${filter.op.toUpperCase()} `)})`,
        ...terms.flatMap(({ params }) => params),
      )
    }
    case 'constant':
      return sql(filter.value ? '1' : '0')
    default:
      return compileLeaf(filter, filter.path.hops, alias, company)
  }
}

/** Follows lookups by sub-select, except to the display field, which every row holds itself. */
function compileLeaf(leaf: Leaf, hops: Path['hops'], alias: string, company: number): Sql {
  const [hop, ...rest] = hops
  if (!hop || ownColumns(leaf.path, hops)) return predicate(leaf, alias, hops)
  const holdsForNull = holdsWithoutValue(leaf)
  const inner = compileLeaf(holdsForNull ? { ...leaf, negated: !leaf.negated } : leaf, rest, 't', company)
  const key = `${alias}.${quoted(hop.lookup.name)}`
  const target = rest[0]?.on ?? leaf.path.on
  const keys = `(SELECT t.id FROM ${tableOf(target)} AS t WHERE t.company = ? AND t.deleted = 0 AND ${inner.text})`
  const text = holdsForNull ? `(${key} IS NULL OR ${key} NOT IN ${keys})` : `${key} IN ${keys}`
  return sql(text, company, ...inner.params)
}

/** The columns in which a row itself holds the value at the end of the path, if it does. */
export function ownColumns(path: Path, hops = path.hops): { exact: string; folded?: string } | undefined {
  const { field, part } = path
  if (hops.length === 0) {
    if (field.name === 'Id') return { exact: 'id' }
    if (field.type === 'money') return { exact: `${field.name}/${part ?? 'Amount'}` }
    return isText(field) ? { exact: field.name, folded: `${field.name}~` } : { exact: field.name }
  }
  if (hops.length > 1) return undefined
  const lookup = hops[0]!.lookup.name
  if (field.name === 'Id') return { exact: lookup }
  return field.name === path.on.display
    ? { exact: `${lookup}/${field.name}`, folded: `${lookup}/${field.name}~` }
    : undefined
}

/** The same, where an index has them. */
export function indexedColumns(path: Path): ReturnType<typeof ownColumns> {
  return isIndexed(path.field) && path.part !== 'Currency' ? ownColumns(path) : undefined
}

function predicate(leaf: Leaf, alias: string, hops: Path['hops']): Sql {
  const columns = ownColumns(leaf.path, hops)!
  const exact = `${alias}.${quoted(columns.exact)}`
  const folded = columns.folded ? `${alias}.${quoted(columns.folded)}` : undefined
  switch (leaf.op) {
    case 'isNull':
      return sql(`${exact} IS ${leaf.negated ? 'NOT ' : ''}NULL`)
    case 'in': {
      const list = leaf.values.map(() => '?').join(', ')
      const values = leaf.values.map(sqlValue)
      if (leaf.negated) return sql(`(${exact} NOT IN (${list}) OR ${exact} IS NULL)`, ...values)
      if (!folded) return sql(`${exact} IN (${list})`, ...values)
      return sql(
        `(${folded} IN (${list}) AND ${exact} IN (${list}))`,
        ...values.map((value) => fold(value)),
        ...values,
      )
    }
    case 'compare':
      return comparison(leaf, exact, folded)
    case 'measure':
      return measured(leaf, exact)
    case 'equalsFolded':
      return unlessNegated(leaf.negated, exact, sql(`${folded ?? `fold(${exact})`} = ?`, leaf.text))
    case 'startswith':
      if (folded && !leaf.negated && leaf.text)
        return sql(`(${folded} >= ? AND ${folded} < ?)`, leaf.text, `${leaf.text}\u{10ffff}`)
      return unlessNegated(
        leaf.negated,
        exact,
        sql(`substr(${folded ?? `fold(${exact})`}, 1, ?) = ?`, [...leaf.text].length, leaf.text),
      )
    case 'contains':
      return unlessNegated(leaf.negated, exact, sql(`instr(${folded ?? `fold(${exact})`}, ?) > 0`, leaf.text))
    case 'endswith': {
      const length = [...leaf.text].length
      if (length === 0) return unlessNegated(leaf.negated, exact, sql(`${exact} IS NOT NULL`))
      return unlessNegated(
        leaf.negated,
        exact,
        sql(`substr(${folded ?? `fold(${exact})`}, ?) = ?`, -length, leaf.text),
      )
    }
  }
}

function unlessNegated(negated: boolean, exact: string, condition: Sql): Sql {
  return negated ? sql(`(NOT (${condition.text}) OR ${exact} IS NULL)`, ...condition.params) : condition
}

const OPERATORS = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const
const OPPOSITES = { eq: 'ne', ne: 'eq', gt: 'le', le: 'gt', lt: 'ge', ge: 'lt' } as const

function comparison(leaf: Extract<Leaf, { op: 'compare' }>, exact: string, folded: string | undefined): Sql {
  const by = leaf.negated ? OPPOSITES[leaf.by] : leaf.by
  const value = sqlValue(leaf.value)
  if (by === 'ne') return sql(`${exact} IS NOT ?`, value)
  if (by === 'eq')
    return folded ? sql(`(${folded} = ? AND ${exact} = ?)`, fold(value), value) : sql(`${exact} = ?`, value)
  const ordered = folded
    ? sql(`${folded} ${OPERATORS[by]} ?`, fold(value))
    : sql(`${exact} ${OPERATORS[by]} ?`, value)
  // Not greater is not the same as less or equal: a record without the value is neither.
  return leaf.negated ? sql(`(${ordered.text} OR ${exact} IS NULL)`, ...ordered.params) : ordered
}

/** `length()` of SQLite counts characters; dates and timestamps are text in their canonical form, other text has 0 there. */
const MEASURED = {
  length: (column: string) => `length(${column})`,
  month: (column: string) => twoDigits(`substr(${column}, 6, 2)`),
  day: (column: string) => twoDigits(`substr(${column}, 9, 2)`),
} as const

const twoDigits = (text: string) =>
  `CASE WHEN ${text} GLOB '[0-9][0-9]' THEN CAST(${text} AS INTEGER) ELSE 0 END`

function measured(leaf: Extract<Leaf, { op: 'measure' }>, exact: string): Sql {
  const by = leaf.negated ? OPPOSITES[leaf.by] : leaf.by
  const condition = sql(`(${MEASURED[leaf.of](exact)}) ${OPERATORS[by]} ?`, leaf.value)
  const nulls = holdsWithoutValue(leaf) ? `OR ${exact} IS NULL` : `AND ${exact} IS NOT NULL`
  return sql(`(${condition.text} ${nulls})`, ...condition.params)
}

const sqlValue = (value: Value): SqlValue => (typeof value === 'boolean' ? Number(value) : value)
const fold = (value: SqlValue): string => foldedText(String(value))

/** An index that narrows the search for a term that every match must fulfil. */
export interface Driver {
  readonly index: string
  /** Smaller: fewer rows are to be expected. */
  readonly rank: number
  /** The term is an equality: the rows it leaves lie in the order of creation. */
  readonly equality: boolean
  /** The index decides the term, so that counting its entries counts the matches. */
  readonly covers: boolean
}

/** Drivers of this rank or less leave few rows as a rule. */
export const SELECTIVE = 5

/** The best index for a filter, or undefined where none narrows it. */
export function driverOf(filter: Filter | undefined): Driver | undefined {
  return driversOf(filter)[0]
}

/** The indexes that narrow a filter, the best first. */
export function driversOf(filter: Filter | undefined): Driver[] {
  switch (filter?.op) {
    case undefined:
    case 'or':
    case 'constant':
      return []
    case 'and':
      return filter.terms
        .flatMap(driversOf)
        .map((driver) => ({ ...driver, covers: false }))
        .sort((one, other) => one.rank - other.rank)
    default: {
      const driver = driverOfLeaf(filter as Leaf)
      return driver ? [driver] : []
    }
  }
}

function driverOfLeaf(filter: Leaf): Driver | undefined {
  const columns = filter.negated ? undefined : indexedColumns(filter.path)
  if (!columns) return undefined
  const { path } = filter
  const on = path.hops[0]?.on ?? path.on
  const index = indexOn(on, columns.exact === 'id' ? 'Id' : (columns.folded ?? columns.exact))
  const selective = path.field.type === 'lookup' || path.kind === 'text' || path.field.name === 'Id'
  const few = path.field.type === 'choice' || path.kind === 'boolean'
  const spread = selective ? 0 : few ? 20 : 5
  const covers = columns.folded === undefined
  switch (filter.op) {
    case 'compare':
      if (filter.by === 'ne') return undefined
      return filter.by === 'eq'
        ? { index, rank: 1 + spread, equality: true, covers }
        : { index, rank: 12 + spread, equality: false, covers: true }
    case 'in':
      return { index, rank: 2 + spread, equality: false, covers }
    case 'equalsFolded':
      return columns.folded ? { index, rank: 1 + spread, equality: true, covers: true } : undefined
    case 'startswith':
      return columns.folded && filter.text
        ? { index, rank: 4 + spread, equality: false, covers: true }
        : undefined
    default:
      return undefined
  }
}
