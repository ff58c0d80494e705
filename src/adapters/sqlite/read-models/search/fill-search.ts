/** The full-text search of whole files of records, made in one go. */
import type { DatabaseSync } from 'node:sqlite'
import type { Definitions, ObjectDefinition } from '../../../../domain/definition.ts'
import type { Fields } from '../../../../domain/json.ts'
import { tableOf } from '../columns.ts'
import { transaction } from '../../files/open.ts'
import { openSearchIndex } from './search-index.ts'

/** Objects with words that are searched. */
export function searchedObjects(definitions: Definitions): ObjectDefinition[] {
  return [...definitions.values()].filter(({ fields }) => fields.some(({ searchable }) => searchable))
}

/** Puts the live records of one file into the search of another, or of the same. */
export function fillSearch(records: DatabaseSync, into: DatabaseSync, definition: ObjectDefinition): void {
  const search = openSearchIndex(into, definition)
  const live = records.prepare(
    `SELECT n, company, document FROM ${tableOf(definition)} WHERE deleted = 0 ORDER BY n`,
  )
  transaction(into, () => {
    for (const { n, company, document } of live.iterate())
      search.put(company as number, n as number, JSON.parse(document as string) as Fields)
  })
}
