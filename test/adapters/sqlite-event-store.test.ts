/** The event store on SQLite: events in a file of its own, written by the engine thread. */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { linkEngine } from '../../src/adapters/sqlite/engine-link.ts'
import { sqliteEventStore } from '../../src/adapters/sqlite/event-store.ts'
import type { EngineData } from '../../src/compose/engine.ts'
import { eventStoreContract } from '../contracts/event-store.ts'
import { newEvent } from '../support/events.ts'
import { newFolder } from '../support/service.ts'

describe('the event store on SQLite', () => {
  const dataDir = newFolder()
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  const open = async () => {
    // Only events: what the contract appends is of no object that a projection would know.
    const data: EngineData = { dataDir, definitions: [], keepsReadModels: false }
    const engine = await linkEngine(
      new Worker(new URL('../../src/compose/engine.ts', import.meta.url), { workerData: data }),
    )
    return sqliteEventStore({ path: join(dataDir, 'events.db'), engine })
  }
  eventStoreContract(open)

  it('leaves the event loop to others while it reads a long stream', async () => {
    const store = await open()
    try {
      const [company, stream] = ['company-1', `note-${randomUUID()}`]
      for (let expected = 0; expected < 2_500; expected += 500)
        await store.append({
          company,
          stream,
          expected,
          events: Array.from({ length: 500 }, () => newEvent()),
        })
      let turns = 0
      let isRead = false
      const count = () => {
        turns++
        if (!isRead) setImmediate(count)
      }
      setImmediate(count)
      const read = await store.read(company, stream)
      isRead = true
      expect(read.map(({ version }) => version)).to.deep.equal(Array.from({ length: 2_500 }, (_, i) => i + 1))
      expect(turns).to.be.at.least(4)
    } finally {
      await store.close()
    }
  })
})
