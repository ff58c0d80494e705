/**
 * Events that cannot be handled: bytes that are no JSON, a shape of a later version, a name that means nothing, and one
 * that a read model cannot take. Each parks the projections that trip over it, where operators see it, and nothing else; what
 * is behind it is neither skipped nor lost, and shown once the event can be handled and the projections are resumed.
 *
 * Told on the embedded engines, and on EventStoreDB's peer with read models in MongoDB.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import { openEventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import { streamOf } from '../../src/domain/events/stream-name.ts'
import { verifyDataDir } from '../../scripts/verify/verify-data-dir.ts'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { mongoUnderTest, NOT_TESTED } from '../engines/mongodb-under-test.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { newEvent } from '../support/events.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { newFolder, testService, type Data, type TestService } from '../support/service.ts'
import { newKey } from '../support/told-events.ts'
import { eventually } from './support/eventually.ts'

/** The texts of an event as a store keeps them. */
interface Texts {
  readonly type: string
  readonly data: string
  readonly metadata: string
}

interface World {
  readonly service: TestService
  /** Puts the event into the store as the first of its stream. */
  poison(stream: string, texts: Texts): Promise<void>
  /** The event at that place is another from now on, as if a later version had come that can handle it. */
  mend(stream: string, texts: Texts): void
  discard(): Promise<void>
}

const SETTINGS = { READ_YOUR_WRITES_MS: '50' }

describe('an event that cannot be handled', function () {
  this.timeout(60_000)

  describe('in the embedded event file', () => {
    poisonStory(async () => {
      const service = await testService({ settings: SETTINGS })
      return {
        service,
        async poison(stream, { type, data, metadata }) {
          await service.stop()
          const company = companyOf(metadata)
          withFile(service.dataDir, (db) =>
            db
              .prepare(
                'INSERT INTO events SELECT max(position) + 1, ?, 1, ?, ?, ?, ?, ? FROM events WHERE 1 = 1',
              )
              .run(streamOf(company, stream), crypto.randomUUID(), type, company, data, metadata),
          )
          await service.restart()
        },
        mend: (stream, { type, data, metadata }) =>
          withFile(service.dataDir, (db) =>
            db
              .prepare('UPDATE events SET type = ?, data = ?, metadata = ? WHERE stream = ?')
              .run(type, data, metadata, streamOf(companyOf(metadata), stream)),
          ),
        async discard() {
          await service.stop()
          // Events that were changed behind the service's back: what was noted of them is made again.
          withFile(service.dataDir, (db) => db.exec('DELETE FROM journal'))
          openEventLog(join(service.dataDir, 'events.db')).close()
          const definitions = loadDefinitions([join(import.meta.dirname, '../../definitions')])
          const { differences } = await verifyDataDir({
            dataDir: service.dataDir,
            definitions: withInternal(definitions),
          })
          await service.discard()
          expect(differences).to.deep.equal([])
        },
      }
    })
  })

  const mongo = mongoUnderTest()
  if (!mongo) {
    it(`in EventStoreDB, with read models in MongoDB: ${NOT_TESTED}`)
    return
  }

  describe(`in EventStoreDB, with read models in ${mongo.name}`, () => {
    before(() => mongo.start())
    after(() => mongo.stop())

    poisonStory(async () => {
      const folder = newFolder()
      const file = join(folder, 'peer.db')
      const peer = await startPeer({ file })
      const raw = EventStoreDBClient.connectionString(peer.url)
      const service = await testService({
        settings: {
          ...SETTINGS,
          EVENTSTORE_URL: peer.url,
          MONGODB_URL: mongo.newDatabase(),
          SECRETS_KEYS,
        },
      })
      return {
        service,
        async poison(stream, { type, data, metadata }) {
          const isJson = isJsonText(data)
          const told = { type, metadata: JSON.parse(metadata) as Record<string, unknown> }
          await raw.appendToStream(
            streamOf(companyOf(metadata), stream),
            isJson
              ? jsonEvent({ ...told, data: JSON.parse(data) as Record<string, unknown> })
              : binaryEvent({ ...told, data: Buffer.from(data) }),
            { expectedRevision: NO_STREAM },
          )
        },
        mend(stream, { type, data, metadata }) {
          const db = new DatabaseSync(file)
          db.prepare(
            `UPDATE events SET contentType = 'application/json', type = ?, data = ?, metadata = ? WHERE stream = ?`,
          ).run(type, Buffer.from(data), Buffer.from(metadata), streamOf(companyOf(metadata), stream))
          db.close()
        },
        async discard() {
          await service.discard()
          await raw.dispose()
          await peer.stop()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    })
  })
})

const companyOf = (metadata: string): string => (JSON.parse(metadata) as { company: string }).company

function poisonStory(open: () => Promise<World>): void {
  let world: World
  let service: TestService
  let company: string
  before(async () => {
    world = await open()
    service = world.service
    company = ((await service.get('identity/me')).data['Company'] as Data).Id
  })
  after(() => world.discard())

  const projections = async () => (await service.get('projections')).list
  const parked = async () =>
    (await projections()).filter(({ State }) => State === 'parked').map(({ Name }) => Name as string)
  const texts = (event: ReturnType<typeof newEvent>): Texts => ({
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(event.metadata),
  })
  const created = (name: string) => texts(newEvent({ company, type: 'tenant.created', data: { Name: name } }))

  /** `parks`: those that trip over it; others that need them wait with them. */
  const poisons: readonly {
    readonly what: string
    readonly spoil: (texts: Texts) => Texts
    readonly says: RegExp
    readonly parks: readonly string[]
  }[] = [
    {
      what: 'that is no JSON',
      spoil: (one) => ({ ...one, data: '{"Name":"half' }),
      says: /cannot be read: .*JSON/,
      parks: ['records', 'search', 'warehouse', 'warehouse-mongodb', 'webhooks', 'timers.notify'],
    },
    {
      what: 'of a later shape',
      spoil: (one) => ({ ...one, metadata: one.metadata.replace('"schema":1', '"schema":99') }),
      says: /has shape 99; this version of the service reads up to 1/,
      parks: ['records', 'search', 'warehouse', 'warehouse-mongodb', 'webhooks', 'timers.notify'],
    },
    {
      what: 'whose name means nothing',
      spoil: (one) => ({ ...one, type: 'nonsense.happened' }),
      says: /nothing of that name happens to a tenant/,
      parks: ['records', 'search', 'warehouse', 'warehouse-mongodb'],
    },
    {
      what: 'that changes a record that was never made',
      spoil: (one) => ({ ...one, type: 'tenant.updated' }),
      says: /./,
      parks: ['records', 'warehouse', 'warehouse-mongodb'],
    },
  ]

  for (const [n, { what, spoil, says, parks }] of poisons.entries())
    it(`parks what trips over one ${what}, and that only`, async () => {
      const early = await service.create('tenant', { Name: `Early ${n}` })
      const stream = newKey('tenant')
      await world.poison(stream, spoil(created(`Spoilt ${n}`)))
      const late = await service.post('tenant', { Name: `Late ${n}` })
      expect(late.status, 'writes are taken').to.equal(201)
      expect(late.headers.get('Daybook-Read-Lag')).to.equal('true')

      await eventually('what trips is parked, and all else has come to the end', async () => {
        const list = await projections()
        const there = list.map(({ Name }) => Name as string)
        expect(await parked()).to.have.members(parks.filter((name) => there.includes(name)))
        for (const { Name, Lag, State, Error: error } of list) {
          if (State !== 'parked') {
            // Search needs the records, and waits where they are.
            if (Name !== 'search' || !parks.includes('records')) expect([Name, Lag]).to.deep.equal([Name, 0])
            continue
          }
          expect(Lag).to.be.greaterThan(0)
          const { Position, Message } = error as { readonly Position: number; readonly Message: string }
          expect(Position).to.be.greaterThan(0)
          expect(Message).to.match(says)
        }
      })
      // What was shown is shown; nothing behind the event is, so that nothing looks as if it were all.
      expect((await service.get(`tenant/${early.Id}`)).status).to.equal(200)
      expect((await service.list('tenant', { search: `late ${n}` })).list).to.deep.equal([])
      const metrics = await service.get('/metrics')
      if (parks.includes('records')) expect(metrics.text).to.match(/parked.*records.* 1\n/)

      // As long as it is what it is, resuming comes to the same.
      await service.post('projections/records/resume')
      await eventually('it is parked again', async () => expect(await parked()).to.include('records'))

      world.mend(stream, created(`Mended ${n}`))
      await eventually('all is shown', async () => {
        // Again where it is parked again: a follower that begins further back may be handed what this process has read of the
        // event before, which never changes in a server.
        for (const name of await parked())
          expect((await service.post(`projections/${name}/resume`)).status, name).to.equal(200)
        for (const { Name, State, Lag, Error: error } of await projections())
          expect([Name, State, Lag, error]).to.deep.equal([Name, 'live', 0, null])
      })
      expect((await service.get(`tenant/${stream}`)).data['Name']).to.equal(`Mended ${n}`)
      expect((await service.list('tenant', { search: `mended ${n}` })).list).to.have.length(1)
      expect((await service.list('tenant', { search: `late ${n}` })).list).to.have.length(1)
    })
}

function withFile(dataDir: string, work: (db: DatabaseSync) => unknown): void {
  const db = new DatabaseSync(join(dataDir, 'events.db'))
  try {
    work(db)
  } finally {
    db.close()
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
