/** The event store on SQLite: events in a file of its own, written by the engine thread. */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { linkEngine } from '../../../src/adapters/sqlite/events/engine-link.ts'
import type { FromEngine } from '../../../src/adapters/sqlite/events/engine-messages.ts'
import { openEventLog } from '../../../src/adapters/sqlite/events/event-log.ts'
import { sqliteEventStore } from '../../../src/adapters/sqlite/events/event-store.ts'
import type { EngineData } from '../../../src/compose/threads/engine.ts'
import type { EventMetadata } from '../../../src/domain/events/event.ts'
import { eventStoreContract } from '../../contracts/event-store.ts'
import { newEvent } from '../../support/events.ts'
import { newFolder } from '../../support/service.ts'

describe('the event store on SQLite', () => {
  const dataDir = newFolder()
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  const open = async () => {
    // Only events: what the contract appends is of no object that a projection would know.
    const data: EngineData = { dataDir, definitions: [], keepsReadModels: false }
    const engine = await linkEngine(
      new Worker(new URL('../../../src/compose/threads/engine.ts', import.meta.url), { workerData: data }),
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

  it('stores what waits for the same promise with one commit', async () => {
    const data: EngineData = { dataDir, definitions: [], keepsReadModels: false }
    const engine = await linkEngine(
      new Worker(new URL('../../../src/compose/threads/engine.ts', import.meta.url), { workerData: data }),
    )
    const store = sqliteEventStore({ path: join(dataDir, 'events.db'), engine })
    const groups: number[] = []
    engine.listen((message) => {
      if (message.kind === 'appended') groups.push(message.outcomes.length / 2)
    })
    try {
      const together = Promise.withResolvers<void>()
      const appends: Promise<unknown>[] = []
      for (let i = 0; i < 40; i++) {
        const append = {
          company: 'company-1',
          stream: `note-${randomUUID()}`,
          expected: 0,
          events: [newEvent()],
        }
        appends.push(store.append({ ...append, together: together.promise }))
        if (i % 10 === 0) await new Promise((turn) => setImmediate(turn))
      }
      together.resolve()
      await Promise.all(appends)
      expect(groups).to.deep.equal([40])
    } finally {
      await store.close()
    }
  })

  describe('of many appends that were stored together', () => {
    const COUNT = 1_000
    const path = join(dataDir, 'told.db')
    let tell: (message: FromEngine) => void
    let told: number[]

    const appendAll = async () => {
      openEventLog(path).close()
      tell = () => {}
      told = []
      const engine = {
        head: 0,
        readModelPath: '',
        send: () => {},
        listen: (listener: (message: FromEngine) => void) => void (tell = listener),
        close: async () => {},
      }
      const store = sqliteEventStore({ path, engine })
      const append = async (i: number) => {
        const event = { id: uuid(i), type: 'x.created', data: {}, metadata: {} as EventMetadata }
        await store.append({ company: 'c', stream: `x-${i}`, expected: 0, events: [event] })
        told.push(i)
      }
      return { store, all: Promise.allSettled(Array.from({ length: COUNT }, (_, i) => append(i))) }
    }
    const uuid = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    const stored = () =>
      tell({
        kind: 'appended',
        first: 0,
        outcomes: Array.from({ length: COUNT }, (_, i) => [1, i + 1]).flat(),
        head: COUNT,
      })

    it('tells a hundred in a turn of the event loop, in order, so that others have theirs between', async () => {
      const { store, all } = await appendAll()
      stored()
      await new Promise<void>((afterThis) => process.nextTick(afterThis))
      expect(told).to.deep.equal(Array.from({ length: 100 }, (_, i) => i))
      expect((await all).every(({ status }) => status === 'fulfilled')).to.equal(true)
      expect(told).to.deep.equal(Array.from({ length: COUNT }, (_, i) => i))
      await store.close()
    })

    it('tells all of them when the engine stops meanwhile: what is stored has not failed', async () => {
      const { store, all } = await appendAll()
      stored()
      tell({ kind: 'closed' })
      expect((await all).every(({ status }) => status === 'fulfilled')).to.equal(true)
      await store.close()
    })
  })
})
