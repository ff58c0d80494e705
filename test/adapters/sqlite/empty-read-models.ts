/** A file of read models without records, for statements that are prepared and looked at. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import { sqliteProjectionStore } from '../../../src/adapters/sqlite/read-models/projection-store.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import type { ProjectionStore } from '../../../src/ports/projection-store.ts'
import { newFolder } from '../../support/service.ts'

/** Opened before the tests of the suite that calls it, and removed after them. */
export function emptyReadModels(definitions: Definitions): () => DatabaseSync {
  const folder = newFolder()
  let db: DatabaseSync
  let store: ProjectionStore
  before(() => {
    db = openForWriting({ path: join(folder, 'read-models.db'), synchronous: 'NORMAL', cacheMegabytes: 8 })
    store = sqliteProjectionStore({ db, definitions, onBackgroundChange: () => {} })
  })
  after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => db
}
