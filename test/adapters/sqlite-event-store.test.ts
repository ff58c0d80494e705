/** The event store on SQLite: events in a file of its own, written by the engine thread. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { linkEngine } from '../../src/adapters/sqlite/engine-link.ts'
import { sqliteEventStore } from '../../src/adapters/sqlite/event-store.ts'
import type { EngineData } from '../../src/compose/engine.ts'
import { eventStoreContract } from '../contracts/event-store.ts'
import { newFolder } from '../support/service.ts'

describe('the event store on SQLite', () => {
  const dataDir = newFolder()
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  eventStoreContract(async () => {
    // Only events: what the contract appends is of no object that a projection would know.
    const data: EngineData = { dataDir, definitions: [], keepsReadModels: false }
    const engine = await linkEngine(
      new Worker(new URL('../../src/compose/engine.ts', import.meta.url), { workerData: data }),
    )
    return sqliteEventStore({ path: join(dataDir, 'events.db'), engine })
  })
})
