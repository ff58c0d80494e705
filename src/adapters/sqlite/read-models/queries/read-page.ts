/** Pieces of a list that every reader of a read models' file puts together in its own way; and a page read in one go. */
import type { Definitions, ObjectDefinition } from '../../../../domain/definition.ts'
import type { Company } from '../../../../domain/events/event.ts'
import type { ListedRecord, ListQuery, Page } from '../../../../ports/read-models.ts'
import type { Sql } from './compile-filter.ts'
import { countSql, pageSql, type ListOf, type Looked } from './compile-list.ts'
import type { ReadModelFile } from '../read-model-file.ts'
import { matchExpression, matchingSql, termSql } from '../search/search-index.ts'

/** Up to so many words of the index are named in a search, instead of their common beginning. */
const FEW_TERMS = 20

/** So many records may be looked at one by one, rather than to gather all of a common beginning. */
const FEW_RECORDS = 1_000

/**
 * How the words are looked for; undefined when nothing can be found.
 *
 * A word that is the beginning of many is gathered by the index before it yields the first record: 180 ms where a million
 * have it, such as the year in a contract's number. Where the other words leave few records, these are looked at instead.
 */
export function lookedFor(
  file: Pick<ReadModelFile, 'rows'>,
  definition: ObjectDefinition,
  company: number,
  { words = [], wordsIn }: Pick<ListQuery, 'words' | 'wordsIn'>,
): Looked | undefined {
  const found = words.map((word) => ({ word, terms: fewTerms(file, definition, company, word) }))
  if (found.some(({ terms }) => terms?.length === 0)) return undefined
  const whole = {
    match: matchExpression(company, found),
    wordsIn,
    gathers: found.some(({ terms }) => !terms),
  }
  const named = found.filter(({ terms }) => terms)
  if (!whole.gathers || named.length === 0) return whole
  const match = matchExpression(company, named)
  const records = Number(file.rows(matchingSql(definition, match, FEW_RECORDS + 1))[0]?.[0] ?? 0)
  if (records > FEW_RECORDS) return whole
  return { match, wordsIn: wordsIn ?? definition.fields.map(({ name }) => name), gathers: false }
}

/** The words of the index that begin like this one; undefined when they are many. */
function fewTerms(
  file: Pick<ReadModelFile, 'rows'>,
  definition: ObjectDefinition,
  company: number,
  word: string,
): readonly string[] | undefined {
  const terms: string[] = []
  for (;;) {
    const [next] = file.rows(termSql(definition, company, word, terms.at(-1)))
    if (!next) return terms
    if (terms.length === FEW_TERMS) return undefined
    terms.push(next[0] as string)
  }
}

/** How many records of the object the company has. */
export function totalSql(object: string, company: number): Sql {
  return { text: 'SELECT total FROM totals WHERE object = ? AND company = ?', params: [object, company] }
}

/** A row of `pageSql`. */
export function listed(row: readonly unknown[], expand: readonly string[]): ListedRecord {
  const [key, version, json, ...documents] = row as [string, number, string, ...(string | null)[]]
  if (expand.length === 0) return { key, version, json }
  const expanded: Record<string, string> = {}
  expand.forEach((name, i) => {
    if (documents[i]) expanded[name] = documents[i]
  })
  return { key, version, json, expanded }
}

/** The whole list, here and now, however long it takes: the file's `inTime` is asked all the while. */
export function readPage(
  file: ReadModelFile,
  definitions: Definitions,
  company: Company,
  query: ListQuery,
): Page {
  const definition = definitions.get(query.object)
  if (!definition) throw new Error(`there is no definition of the object ${query.object}`)
  const number = file.companyNumber(company)
  const looked = number === undefined ? undefined : lookedFor(file, definition, number, query)
  if (number === undefined || !looked) return { records: [], total: 0 }
  const list: ListOf = { definitions, definition, company: number, query, ...looked, timed: true }
  const one = (sql: Sql) => Number(file.rows(sql)[0]?.[0] ?? 0)
  const all = one(totalSql(query.object, number))
  const total = query.filter || query.words?.length ? one(countSql(list)) : all
  if (query.offset >= total) return { records: [], total }
  const rows = file.rows(pageSql(list, total, all))
  return { records: rows.map((row) => listed(row, query.expand)), total }
}
