/**
 * A list query as SQL: first the rows of the page by their numbers, from indexes alone as far as they go, then the
 * documents of just those rows.
 *
 * Which index leads is decided here and not by SQLite, which keeps no statistics of these files: either the rows are
 * walked in the order asked for and tested one by one, or the index of the filter's best term gives candidates that
 * are then sorted. What is cheaper follows from how many rows match (`matches`) of how many (`all`).
 */
import { targetOf, type Definitions, type ObjectDefinition } from '../../../../domain/definition.ts'
import type { ListQuery, SortKey } from '../../../../ports/read-models.ts'
import { indexOn, quoted, tableOf } from '../columns.ts'
import {
  compileFilter,
  driverOf,
  driversOf,
  indexedColumns,
  ownColumns,
  SELECTIVE,
  type Driver,
  type Sql,
} from './compile-filter.ts'
import { matchingSql, searchTableOf } from '../search/search-index.ts'

/** How a query's words are looked for. */
export interface Looked {
  /** The words as FTS5 takes them; see `search-index.ts`. */
  readonly match: string
  /** What FTS5 finds is looked at: whether the words are in the text of these fields. Undefined: it need not be. */
  readonly wordsIn?: readonly string[] | undefined
  /** FTS5 gathers all records of a prefix before it yields the first. */
  readonly gathers: boolean
  /** Those of the words, as FTS5 takes them, that seem to leave few records: to be counted where that may take its time. */
  readonly rare?: string | undefined
}

export interface ListOf extends Looked {
  readonly definitions: Definitions
  readonly definition: ObjectDefinition
  readonly company: number
  readonly query: ListQuery
  /** The list begins with this record or the next: those created later are not looked at. */
  readonly from?: number | undefined
  /** The statement asks for each row whether there is time left (see `read-model-file.ts`). */
  readonly timed: boolean
}

/** The conditions of a query as one WHERE clause over the row `r`. */
function conditions(list: ListOf): Sql {
  const { query } = list
  const terms = [
    rowsOf(list),
    ...(list.from === undefined ? [] : [{ text: 'r.n <= ?', params: [list.from] }]),
    ...(query.filter ? [compileFilter(query.filter, 'r', list.company)] : []),
  ]
  if (query.words?.length) terms.push(found(list))
  return allOf(terms)
}

/** The rows with the words. When not all that is indexed may be searched, the text of each row found is looked at. */
function found(list: ListOf): Sql {
  const { definition, match, wordsIn, timed } = list
  const search = searchTableOf(definition)
  if (!wordsIn)
    return { text: `r.n IN (SELECT rowid FROM ${search} WHERE ${search} MATCH ?)`, params: [match] }
  const inText = hasWordsSql(list, 'd', wordsIn)
  return {
    text: `r.n IN (SELECT f.rowid FROM ${search} AS f CROSS JOIN ${tableOf(definition)} AS d ON d.n = f.rowid
      WHERE ${search} MATCH ? ${timed ? 'AND in_time() = 1' : ''} AND ${inText.text})`,
    params: [match, ...inText.params],
  }
}

/** Whether the words are in the text of these fields of the row. */
function hasWordsSql({ definition, query }: ListOf, row: string, fields: readonly string[]): Sql {
  const searched = definition.fields.filter(({ name }) => fields.includes(name))
  return {
    text: `has_words(${row}.document, ?, ?) = 1`,
    params: [JSON.stringify(searched), JSON.stringify(query.words)],
  }
}

/** For one row in so many: to ask for each costs as much as counting it. */
const IN_TIME = ' AND (r.n % 251 <> 0 OR time_left() = 1)'

/** The company's rows that are not deleted. */
function rowsOf({ company, timed }: ListOf): Sql {
  return { text: `r.company = ? AND r.deleted = 0${timed ? IN_TIME : ''}`, params: [company] }
}

function allOf(terms: readonly Sql[]): Sql {
  return { text: terms.map(({ text }) => text).join(' AND '), params: terms.flatMap(({ params }) => params) }
}

/** How many records match; at most `limit` are counted when it is given. */
export function countSql(list: ListOf, limit?: number): Sql {
  const { definition, query } = list
  if (query.words?.length && !query.filter && !list.wordsIn) return matchingSql(definition, list.match, limit)
  const driver = countDriverOf(list)
  const where = (driver && intersection(list, driver)) ?? conditions(list)
  const from = `FROM ${tableOf(definition)} AS r ${driver ? `INDEXED BY ${driver.index}` : ''} WHERE ${where.text}`
  return limit === undefined
    ? { text: `SELECT count(*) ${from}`, params: where.params }
    : { text: `SELECT count(*) FROM (SELECT 1 ${from} LIMIT ? + 0)`, params: [...where.params, limit] }
}

/** The index that counting goes by; undefined: none, and rows are looked at. */
export function countDriverOf(list: ListOf): Driver | undefined {
  return list.query.words?.length ? undefined : driverOf(list.query.filter)
}

/**
 * Several terms, each decided by an index of its own and none leaving few rows: counted from the indexes alone, which
 * costs a tenth of looking at every row that one of them finds.
 */
function intersection(list: ListOf, driver: Driver): Sql | undefined {
  const { filter } = list.query
  if (filter?.op !== 'and' || driver.rank <= SELECTIVE) return undefined
  const terms = filter.terms.map((term) => ({ term, driver: driverOf(term) }))
  if (!terms.every((one) => one.driver?.covers)) return undefined
  const rows = rowsOf(list)
  const parts = terms.map(({ term, driver: own }) => {
    const condition = compileFilter(term, 'r', list.company)
    if (own!.index === driver.index) return condition
    return {
      text: `r.n IN (SELECT r.n FROM ${tableOf(list.definition)} AS r INDEXED BY ${own!.index} WHERE ${rows.text} AND ${condition.text})`,
      params: [...rows.params, ...condition.params],
    }
  })
  return allOf([rows, ...parts])
}

/**
 * The page's rows: Key, version, document, and the document of each expanded lookup. A cross join keeps the order of its first
 * table (SQLite does not swap them), so the rows of the page are sorted once: where they are found.
 */
export function pageSql(list: ListOf, matches: number, all: number): Sql {
  const numbers = numbersSql(list, matches, all)
  const { columns, joins } = shownSql(list)
  return {
    text: `SELECT ${columns} FROM (${numbers.text}) AS page CROSS JOIN ${tableOf(list.definition)} AS r ON r.n = page.n
      ${joins}`,
    params: numbers.params,
  }
}

/**
 * The rows with these numbers, in their order; those that the conditions do not hold for any more are missing. In order
 * as in `pageSql`.
 */
export function numberedSql(list: ListOf, numbers: readonly number[]): Sql {
  const { definition } = list
  const { columns, joins } = shownSql(list)
  const where = conditions(list)
  return {
    text: `SELECT ${columns} FROM json_each(?) AS page CROSS JOIN ${tableOf(definition)} AS r ON r.n = page.value
      ${joins} WHERE ${where.text}`,
    params: [JSON.stringify(numbers), ...where.params],
  }
}

/** What a list shows of a row, with the records that it is expanded by. */
function shownSql({ definition, definitions, query }: ListOf): { columns: string; joins: string } {
  const joins = query.expand.map((name, i) => {
    const target = targetOf(
      definitions,
      definition.fields.find((field) => field.name === name)!,
    )
    return `LEFT JOIN ${tableOf(target)} AS e${i} ON e${i}.company = r.company AND e${i}.id = r.${quoted(name)} AND e${i}.deleted = 0`
  })
  const columns = ['r.id', 'r.version', 'r.document', ...query.expand.map((_, i) => `e${i}.document`)]
  return { columns: columns.join(', '), joins: joins.join(' ') }
}

interface Order {
  readonly terms: readonly string[]
  /** The first column of the order, when an index has it. */
  readonly first?: string | undefined
}

function orderOf(sort: readonly SortKey[]): Order {
  const direction = (descending: boolean) => (descending ? 'DESC' : 'ASC')
  const terms = sort.map(({ path, descending }) => `${sortExpression(path)} ${direction(descending)}`)
  const columns = sort[0] && indexedColumns(sort[0].path)
  return {
    terms: [...terms, `r.n ${direction(sort[0]?.descending ?? true)}`],
    first: columns && (columns.folded ?? columns.exact),
  }
}

function sortExpression(path: SortKey['path'], row = 'r'): string {
  const columns = ownColumns(path)
  if (columns) return `${row}.${quoted(columns.folded ?? columns.exact)}`
  // A value further away: one look at a time along the lookups.
  const [hop, ...rest] = path.hops
  const target = rest[0]?.on ?? path.on
  const next = `${row}_`
  return `(SELECT ${sortExpression({ ...path, hops: rest }, next)} FROM ${tableOf(target)} AS ${next}
    WHERE ${next}.company = ${row}.company AND ${next}.id = ${row}.${quoted(hop!.lookup.name)} AND ${next}.deleted = 0)`
}

/**
 * The record at a place in the order of creation, counted from the oldest as 1, and how many have come or gone elsewhere than at the
 * end: both in one state of the file.
 */
export function recordAtSql(list: ListOf, place: number): Sql {
  const { definition, company } = list
  const rows = rowsOf(list)
  const totals = 'FROM totals WHERE object = ? AND company = ?'
  const key = [definition.object, company]
  return {
    text: `SELECT n, (SELECT moved ${totals}) FROM (
      SELECT r.n FROM ${tableOf(definition)} AS r INDEXED BY ${indexOn(definition, '')} WHERE ${rows.text}
      ORDER BY r.n DESC LIMIT 1 OFFSET (SELECT max(0, total - ?) ${totals}))`,
    params: [...key, ...rows.params, place, ...key],
  }
}

/** Rows that may be walked past to save the sorting of all that match. */
const SHORT_WALK = 20_000
/** Records whose text may be looked at, to save the gathering of all that match: some 10 µs each. */
const SHORT_LOOK = 1_000

function numbersSql(list: ListOf, matches: number, all: number): Sql {
  const { definition, query } = list
  const order = orderOf(query.sort)
  const page = [query.limit, query.offset]
  const walk = (query.offset + query.limit) * (all / Math.max(1, matches))
  if (query.words?.length && !query.filter && !list.wordsIn && query.sort.length === 0) {
    if (list.gathers && walk <= SHORT_LOOK) return lookedAtInOrder(list, page)
    // The full-text index itself walks its matches from the newest record on.
    const search = searchTableOf(definition)
    const text = `SELECT rowid AS n FROM ${search} WHERE ${search} MATCH ? ORDER BY rowid DESC LIMIT ? + 0 OFFSET ? + 0`
    return { text, params: [list.match, ...page] }
  }
  const where = conditions(list)
  const select = (hint: string, terms: readonly string[]) => ({
    text: `SELECT r.n FROM ${tableOf(definition)} AS r ${hint} WHERE ${where.text} ORDER BY ${terms.join(', ')} LIMIT ? + 0 OFFSET ? + 0`,
    params: [...where.params, ...page],
  })
  const byOrder =
    query.sort.length === 0
      ? indexOn(definition, '')
      : order.first && indexOn(definition, order.first === 'id' ? 'Id' : order.first)
  const drivers = query.words?.length ? [] : driversOf(query.filter)
  // In the default order the rows of an equality need no sorting: they are walked until the page is full.
  const equality = query.sort.length === 0 ? drivers.find((one) => one.equality) : undefined
  const driver = equality && (equality === drivers[0] || walk <= SHORT_WALK) ? equality : drivers[0]
  if (query.words?.length) return select(matches < walk ? 'NOT INDEXED' : '', order.terms)
  if (equality && driver === equality) return select(`INDEXED BY ${driver.index}`, order.terms)
  // Sorting costs some ten times as much for a row as walking past it.
  if (driver && matches * 10 < walk) return select(`INDEXED BY ${driver.index}`, order.terms)
  return select(byOrder ? `INDEXED BY ${byOrder}` : '', order.terms)
}

/** Where many records have the words, the newest of them are soon met by looking at one after the other. */
function lookedAtInOrder(list: ListOf, page: readonly number[]): Sql {
  const { definition } = list
  const rows = rowsOf(list)
  const names = definition.fields.map(({ name }) => name)
  const inText = hasWordsSql(list, 'r', names)
  return {
    text: `SELECT r.n FROM ${tableOf(definition)} AS r INDEXED BY ${indexOn(definition, '')}
      WHERE ${rows.text} AND ${inText.text} ORDER BY r.n DESC LIMIT ? + 0 OFFSET ? + 0`,
    params: [...rows.params, ...inText.params, ...page],
  }
}
