/**
 * Full-text search of one object: an FTS5 table whose rows are the record's words, without a copy of the text.
 *
 * Words come from `searchWords`, so that every engine finds the same. Each is stored with the number of its company in
 * front: a company's words lie together, and a search touches no other company's.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { ObjectDefinition } from '../../../../domain/definition.ts'
import type { Fields } from '../../../../domain/json.ts'
import { searchWords } from '../../../../domain/search/search-words.ts'
import { searchedText } from '../../../../domain/search/searched-text.ts'
import { quoted } from '../columns.ts'
import type { Sql } from '../queries/compile-filter.ts'
import { prepareWrite } from '../../files/open.ts'

export interface SearchIndex {
  put(company: number, n: number, document: Fields): void
  drop(n: number): void
}

export function searchTableOf(definition: ObjectDefinition): string {
  return quoted(`search_${definition.object}`)
}

export function createSearchTable(db: DatabaseSync, definition: ObjectDefinition): void {
  const search = searchTableOf(definition)
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${search}
    USING fts5(words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0");
    CREATE VIRTUAL TABLE IF NOT EXISTS ${termTableOf(definition)} USING fts5vocab(${search}, instance)`)
}

/** The tables that FTS5 keeps the index in. */
export function partsOfSearchTable({ object }: ObjectDefinition): string[] {
  return ['data', 'idx', 'docsize', 'config'].map((part) => quoted(`search_${object}_${part}`))
}

/** The words that the index holds, each for every record. Written once each, all records of a word would be counted. */
function termTableOf(definition: ObjectDefinition): string {
  return quoted(`search_terms_${definition.object}`)
}

/** The first word of the index that begins like this one; with `after`, the next. */
export function termSql(definition: ObjectDefinition, company: number, word: string, after?: string): Sql {
  const begin = marked(company, word)
  const text = `SELECT term FROM ${termTableOf(definition)} WHERE term >= ? AND term < ? LIMIT 1`
  // No word has a control character.
  return { text, params: [after === undefined ? begin : `${after}\u0001`, `${begin}\u{10ffff}`] }
}

/**
 * The FTS5 query for words that must each begin a word of the record. Where it is known which words of the index those
 * are, they are named: FTS5 walks the records of a named word as far as it must, but gathers all those of a prefix first.
 */
export function matchExpression(
  company: number,
  words: readonly { readonly word: string; readonly terms?: readonly string[] | undefined }[],
): string {
  return words
    .map(
      ({ word, terms }) => terms?.map((term) => `"${term}"`).join(' OR ') ?? `"${marked(company, word)}" *`,
    )
    .map((term) => `(${term})`)
    .join(' AND ')
}

/** How many records match; at most `limit` are counted when it is given. */
export function matchingSql(definition: ObjectDefinition, match: string, limit?: number): Sql {
  const search = searchTableOf(definition)
  const from = `FROM ${search} WHERE ${search} MATCH ?`
  return limit === undefined
    ? { text: `SELECT count(*) ${from}`, params: [match] }
    : { text: `SELECT count(*) FROM (SELECT 1 ${from} LIMIT ? + 0)`, params: [match, limit] }
}

export function openSearchIndex(db: DatabaseSync, definition: ObjectDefinition): SearchIndex {
  const put = prepareWrite(
    db,
    `INSERT OR REPLACE INTO ${searchTableOf(definition)} (rowid, words) VALUES (?, ?)`,
  )
  const drop = prepareWrite(db, `DELETE FROM ${searchTableOf(definition)} WHERE rowid = ?`)
  return {
    put(company, n, document) {
      const words = searchWords(searchedText(definition, document))
      if (words.length > 0) put.run(n, words.map((word) => marked(company, word)).join(' '))
      else drop.run(n)
    },
    drop: (n) => void drop.run(n),
  }
}

/** A letter on both sides, so that company 1 is never the beginning of company 12. */
function marked(company: number, word: string): string {
  return `k${company}k${word}`
}
