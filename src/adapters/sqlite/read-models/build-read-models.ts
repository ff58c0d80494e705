/**
 * A read-model file built from nothing, beside the one that is served: written without a journal and without indexes,
 * which are made at the end, each in one go. A build that is cut short is thrown away.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Definitions } from '../../../domain/definition.ts'
import type { ProjectionStore } from '../../../ports/projection-store.ts'
import { fillSearch, searchedObjects } from './search/fill-search.ts'
import { removeGeneration, WHOLE } from './generation.ts'
import { openForBuilding } from '../files/open.ts'
import { sqliteProjectionStore } from './projection-store.ts'
import { recordIndexes } from './record-table.ts'
import { searchBeside, type SearchBeside } from './search/search-beside.ts'

export interface ReadModelBuild {
  /** As of a `ProjectionStore`. */
  readonly apply: ProjectionStore['apply']
  /** Makes indexes and search of what was applied, closes the file and marks it as whole. Takes its time. */
  finish(): Promise<void>
  /** Throws the file away. */
  abandon(): Promise<void>
}

export interface ReadModelBuildOptions {
  readonly path: string
  readonly definitions: Definitions
  /** Nobody opens the file after this process: it need not be on the disk. */
  readonly scratch?: boolean
  /** From so many records on, a second thread makes their search. */
  readonly worthThread?: number
}

/** Fewer are searched before another thread has started. */
const WORTH_THREAD = 50_000

export function buildReadModels({
  path,
  definitions,
  scratch = false,
  worthThread = WORTH_THREAD,
}: ReadModelBuildOptions): ReadModelBuild {
  removeGeneration(path)
  const db = openForBuilding(path)
  const store = sqliteProjectionStore({ db, definitions, building: true })
  // Opened before anything is written, so that it hears of everything that the disk refuses.
  const file = openSync(path, 'r+')
  let beside: SearchBeside | undefined

  const settle = () => {
    if (!scratch) fsyncSync(file)
  }
  const close = async () => {
    await store.close()
    closeSync(file)
  }
  const createIndexes = async () => {
    for (const definition of definitions.values())
      for (const create of recordIndexes(definitions, definition)) {
        db.exec(create)
        await breathe() // for what has failed meanwhile
      }
  }

  return {
    apply: store.apply,
    async finish() {
      if (recordsIn(db) < worthThread) {
        for (const definition of searchedObjects(definitions)) fillSearch(db, db, definition)
        await createIndexes()
      } else {
        beside = await searchBeside(path, definitions)
        await createIndexes()
        await beside.takeOver(db)
      }
      // Not before all else is on the disk.
      settle()
      db.exec(`PRAGMA user_version = ${WHOLE}`)
      settle()
      await close()
    },
    async abandon() {
      await beside?.abandon()
      await close()
      removeGeneration(path)
    },
  }
}

function recordsIn(db: DatabaseSync): number {
  return Number(db.prepare('SELECT coalesce(sum(total), 0) AS records FROM totals').get()!['records'])
}
