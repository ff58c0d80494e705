/** Pieces of a list that every reader of a read models' file puts together in its own way; and a page read in one go. */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Company } from '../../domain/event.ts'
import type { ListedRecord, ListQuery, Page } from '../../ports/read-models.ts'
import type { Sql } from './compile-filter.ts'
import { countSql, pageSql, type ListOf } from './compile-list.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { matchExpression, termsSql } from './search-index.ts'

/** Up to so many words of the index are named in a search, instead of their common beginning. */
const FEW_TERMS = 20

/** The words as the full-text index takes them: named, where they are few; undefined when nothing can be found. */
export function matchOf(
  file: Pick<ReadModelFile, 'rows'>,
  definition: ObjectDefinition,
  company: number,
  words: readonly string[] | undefined,
): string | undefined {
  if (!words?.length) return ''
  const terms = words.map((word) => {
    const found = file.rows(termsSql(definition, company, word, FEW_TERMS)).map(([term]) => term as string)
    return found.length <= FEW_TERMS ? found : undefined
  })
  return terms.some((found) => found?.length === 0) ? undefined : matchExpression(company, words, terms)
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
  const match = number === undefined ? undefined : matchOf(file, definition, number, query.words)
  if (number === undefined || match === undefined) return { records: [], total: 0 }
  const list: ListOf = { definitions, definition, company: number, query, match, timed: true }
  const one = (sql: Sql) => Number(file.rows(sql)[0]?.[0] ?? 0)
  const all = one(totalSql(query.object, number))
  const total = query.filter || query.words?.length ? one(countSql(list)) : all
  if (query.offset >= total) return { records: [], total }
  const rows = file.rows(pageSql(list, total, all))
  return { records: rows.map((row) => listed(row, query.expand)), total }
}
