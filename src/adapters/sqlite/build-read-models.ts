/**
 * A read-model file built from nothing, beside the one that is served: written without a journal, without waiting for
 * the disk and without indexes, which are made at the end, each in one go. A build that is cut short is thrown away.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Definitions } from '../../domain/definition.ts'
import type { Fields } from '../../domain/json.ts'
import { tableOf } from './columns.ts'
import { removeGeneration, WHOLE } from './generation.ts'
import { transaction } from './open.ts'
import { sqliteProjectionStore, type SqliteProjectionStore } from './projection-store.ts'
import { createRecordIndexes } from './record-table.ts'
import { openSearchIndex } from './search-index.ts'

export interface ReadModelBuild {
  readonly store: SqliteProjectionStore
  /** Makes indexes and search of what was applied, closes the file and marks it as whole. Takes its time. */
  finish(): Promise<void>
  /** Throws the file away. */
  abandon(): Promise<void>
}

const CACHE_MEGABYTES = 32

export function buildReadModels(path: string, definitions: Definitions): ReadModelBuild {
  removeGeneration(path)
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -${CACHE_MEGABYTES * 1024}; PRAGMA temp_store = FILE;
    PRAGMA threads = 2`)
  const store = sqliteProjectionStore({ db, definitions, building: true })
  return {
    store,
    async finish() {
      for (const definition of definitions.values()) {
        transaction(db, () => fillSearch(db, definitions, definition.object))
        createRecordIndexes(db, definitions, definition)
      }
      db.exec(`PRAGMA user_version = ${WHOLE}`)
      await store.close()
      const file = openSync(path, 'r+')
      fsyncSync(file)
      closeSync(file)
    },
    async abandon() {
      await store.close()
      removeGeneration(path)
    },
  }
}

function fillSearch(db: DatabaseSync, definitions: Definitions, object: string): void {
  const definition = definitions.get(object)!
  if (!definition.fields.some(({ searchable }) => searchable)) return
  const search = openSearchIndex(db, definition)
  const live = db.prepare(
    `SELECT n, company, document FROM ${tableOf(definition)} WHERE deleted = 0 ORDER BY n`,
  )
  for (const { n, company, document } of live.iterate())
    search.put(company as number, n as number, JSON.parse(document as string) as Fields)
}
