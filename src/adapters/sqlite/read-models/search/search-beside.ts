/**
 * The search of many records, made by a second thread while the records' indexes are made by the first.
 *
 * SQLite has one writer a file: the second thread writes a file of its own, whose search is taken over at the end as the
 * rows that it consists of. They are a few percent of what they were made of.
 */
import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Definitions, ObjectDefinition } from '../../../../domain/definition.ts'
import { searchedObjects } from './fill-search.ts'
import { searchPathBeside } from '../generation.ts'
import { transaction } from '../../files/open.ts'
import { partsOfSearchTable } from './search-index.ts'

export interface SearchBeside {
  /** Waits until the search is made, and puts it into the file, opened for building. @throws Error why it cannot be made */
  takeOver(db: DatabaseSync): Promise<void>
  /** Leaves it, made or not. */
  abandon(): Promise<void>
}

export interface SearchBesideData {
  readonly records: string
  readonly search: string
  readonly definitions: readonly ObjectDefinition[]
}

export type FromSearchBeside = 'reading' | 'made'

const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

/**
 * Resolves when the thread reads the records: from then on the file may get new tables and indexes, but the records must
 * stay as they are.
 */
export async function searchBeside(records: string, definitions: Definitions): Promise<SearchBeside> {
  const search = searchPathBeside(records)
  rmSync(search, { force: true })
  const data: SearchBesideData = { records, search, definitions: [...definitions.values()] }
  const thread = new Worker(new URL('./search-beside-thread.ts', import.meta.url), {
    name: 'search',
    workerData: data,
    resourceLimits: MEMORY,
  })
  const ended = new Promise<never>((_, reject) => {
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the thread that makes the search has ended')))
  })
  const said = (word: FromSearchBeside) =>
    Promise.race([
      new Promise<void>((resolve) => {
        thread.on('message', (message: FromSearchBeside) => message === word && resolve())
      }),
      ended,
    ])
  const made = said('made')
  made.catch(() => {}) // reported to the thread that takes it over
  await said('reading')
  return {
    async takeOver(db) {
      await made
      takeSearch(db, search, searchedObjects(definitions))
      rmSync(search)
    },
    async abandon() {
      await thread.terminate()
      rmSync(search, { force: true })
    },
  }
}

function takeSearch(db: DatabaseSync, path: string, searched: readonly ObjectDefinition[]): void {
  db.prepare('ATTACH ? AS beside').run(path)
  transaction(db, () => {
    for (const part of searched.flatMap(partsOfSearchTable))
      db.exec(`DELETE FROM main.${part}; INSERT INTO main.${part} SELECT * FROM beside.${part}`)
  })
  db.exec('DETACH beside')
}
