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

/** Words of the index, the first of those that begin alike, that have no more records together seem to be rare. */
const RARE_RECORDS = 100

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
  const found = words.map((word) => ({ word, ...firstTerms(file, definition, company, word) }))
  if (found.some(({ first }) => first.length === 0)) return undefined
  const whole = {
    match: matchExpression(company, found),
    wordsIn,
    gathers: found.some(({ terms }) => !terms),
  }
  if (!whole.gathers) return whole
  const upTo = (match: string, limit: number) =>
    Number(file.rows(matchingSql(definition, match, limit + 1))[0]?.[0] ?? 0)
  const named = found.filter(({ terms }) => terms)
  if (named.length > 0) {
    const match = matchExpression(company, named)
    if (upTo(match, FEW_RECORDS) <= FEW_RECORDS) return byText(definition, { match, wordsIn })
  }
  const rare = found.filter(
    ({ word, terms, first }) =>
      !terms && upTo(matchExpression(company, [{ word, terms: first }]), RARE_RECORDS) <= RARE_RECORDS,
  )
  // A word that is gathered costs as many records as have it: when all are rare, they are gathered as it is.
  if (rare.length === 0 || rare.length === found.length - named.length) return whole
  return { ...whole, rare: matchExpression(company, [...named, ...rare]) }
}

/** How many records have the words that seem to be rare; at most one more than may be looked at. */
export function rareSql(definition: ObjectDefinition, rare: string): Sql {
  return matchingSql(definition, rare, FEW_RECORDS + 1)
}

/** The same search where so many records have the rare words: when these are few, their text is looked at. */
export function afterRare(definition: ObjectDefinition, looked: Looked, records: number): Looked {
  const { rare: match, wordsIn } = looked
  return match !== undefined && records <= FEW_RECORDS ? byText(definition, { match, wordsIn }) : looked
}

/** The records that some words leave, by the text of each. */
function byText(definition: ObjectDefinition, { match, wordsIn }: Pick<Looked, 'match' | 'wordsIn'>): Looked {
  return { match, wordsIn: wordsIn ?? definition.fields.map(({ name }) => name), gathers: false }
}

/** The first words of the index that begin like this one; `terms`: when these are all. */
function firstTerms(
  file: Pick<ReadModelFile, 'rows'>,
  definition: ObjectDefinition,
  company: number,
  word: string,
): { first: readonly string[]; terms: readonly string[] | undefined } {
  const first: string[] = []
  for (;;) {
    const [next] = file.rows(termSql(definition, company, word, first.at(-1)))
    if (!next) return { first, terms: first }
    if (first.length === FEW_TERMS) return { first, terms: undefined }
    first.push(next[0] as string)
  }
}

/** How many records of the object the company has, and how many have come or gone elsewhere than at the end. */
export function totalSql(object: string, company: number): Sql {
  return {
    text: 'SELECT total, moved FROM totals WHERE object = ? AND company = ?',
    params: [object, company],
  }
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
