/**
 * The story of the warehouse with MongoDB, with events embedded and in EventStoreDB, and what only several processes can
 * show: each with the role `warehouse` answers from files of its own, and one writes the rows in MongoDB.
 */
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, newFolder, testService, TOKEN, type Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { startMain, type MainProcess } from '../support/main-process.ts'
import { warehouseStory } from '../stories/warehouse-story.ts'

/** The lease of the dead lapses after 6 s; what a busy machine adds is not the service's. */
const TAKEOVER_MS = 40_000

const mongo = mongoUnderTest()
const suite = suiteOf('the story of the warehouse over MongoDB', mongo ? undefined : NOT_TESTED)
const eventStoreUrl = process.env['EVENTSTORE_URL']

suite(`the warehouse over ${mongo?.name ?? 'MongoDB'}`, function () {
  this.timeout(60_000)
  let peer: Peer | undefined
  before(async () => {
    if (!eventStoreUrl) peer = await startPeer()
    await mongo!.start()
  })
  after(async () => {
    await peer?.stop()
    await mongo!.stop()
  })
  const EVENTSTORE_URL = () => eventStoreUrl ?? peer!.url

  describe('of events that are embedded', () =>
    warehouseStory(
      () => testService({ settings: { MONGODB_URL: mongo!.newDatabase(), SECRETS_KEYS } }),
      () => TOKEN,
    ))

  describe('of events in EventStoreDB', () => {
    let token = ''
    warehouseStory(
      async () => {
        token = await ownCompany(EVENTSTORE_URL())
        const settings = {
          EVENTSTORE_URL: EVENTSTORE_URL(),
          MONGODB_URL: mongo!.newDatabase(),
          SECRETS_KEYS,
        }
        return testService({ settings, token })
      },
      () => token,
    )
  })

  it('writes the rows in MongoDB again when the log is of an earlier state', async () => {
    const MONGODB_URL = mongo!.newDatabase()
    const service = await testService({ settings: { MONGODB_URL, SECRETS_KEYS } })
    const rows = await new MongoClient(MONGODB_URL).connect()
    const inMongo = async () => {
      const found = await rows.db().collection('wh_Leasing_Tenant').find().sort({ Key: 1 }).toArray()
      return found.map((row) => String(row['Name']))
    }
    const earlier = newFolder()
    try {
      await service.create('tenant', { Name: 'kept' })
      await service.stop()
      const files = readdirSync(service.dataDir).filter((name) => name.startsWith('events.db'))
      for (const name of files) cpSync(join(service.dataDir, name), join(earlier, name))
      await service.restart()
      await service.create('tenant', { Name: 'lost' })
      await eventually('MongoDB has it', async () => expect(await inMongo()).to.deep.equal(['kept', 'lost']))
      await service.stop()
      for (const name of files) cpSync(join(earlier, name), join(service.dataDir, name))
      await service.restart()
      await eventually('MongoDB has what the log has', async () =>
        expect(await inMongo()).to.deep.equal(['kept']),
      )
    } finally {
      await rows.close()
      await service.discard()
      rmSync(earlier, { recursive: true, force: true })
    }
  })

  describe('in processes of different roles', () => {
    const processes: MainProcess[] = []
    let writers: MainProcess[] = []
    let [one, other, without] = [] as unknown as [Client, Client, Client]
    let rows: MongoClient
    // A store of events belongs to the MongoDB whose keys it was written with.
    let ownPeer: Peer | undefined

    before(async () => {
      if (!eventStoreUrl) ownPeer = await startPeer()
      const settings = {
        EVENTSTORE_URL: eventStoreUrl ?? ownPeer!.url,
        MONGODB_URL: mongo!.newDatabase(),
        SECRETS_KEYS,
        RATE_LIMIT_PER_MINUTE: '0',
      }
      const token = await ownCompany(settings.EVENTSTORE_URL)
      const start = (roles: string) => startMain({ ...settings, ROLES: roles })
      writers = await Promise.all([start('projections'), start('projections')])
      const apis = await Promise.all([start('api,warehouse'), start('api,warehouse'), start('api')])
      processes.push(...writers, ...apis)
      ;[one, other, without] = apis.map(({ url }) => client(() => url, token)) as [Client, Client, Client]
      rows = await new MongoClient(settings.MONGODB_URL).connect()
    })
    after(async () => {
      await rows?.close()
      await Promise.all(processes.map((process) => process.end('SIGTERM')))
      await ownPeer?.stop()
    })

    const names = async (asked: Client, position: string) => {
      const Sql = 'SELECT Name FROM wh_Leasing_Tenant ORDER BY Key'
      const answer = await asked.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position })
      expect(answer.status, answer.text).to.equal(200)
      return (answer.data as unknown as { Rows: string[][] }).Rows.flat()
    }
    const inMongo = async () => {
      const found = await rows.db().collection('wh_Leasing_Tenant').find().sort({ Key: 1 }).toArray()
      return found.map((row) => String(row['Name'])).filter((name) => written.includes(name))
    }
    const written: string[] = []
    const write = async (through: Client) => {
      const Name = `Tenant ${written.length}`
      const answer = await through.post('tenant', { Name })
      expect(answer.status, answer.text).to.equal(201)
      written.push(Name)
      return answer.headers.get('Daybook-Position') ?? ''
    }

    it('each shows in SQL what was written through the other', async () => {
      for (const [through, asked] of [
        [one, other],
        [other, one],
        [without, one],
      ] as const) {
        const position = await write(through)
        await eventually('the warehouse has it', async () =>
          expect(await names(asked, position)).to.deep.equal(written),
        )
      }
    })

    it('one without the role warehouse answers 503 and says what to do', async () => {
      for (const answer of [
        await without.get('warehouse'),
        await without.get('warehouse/snapshot'),
        await without.get('warehouse/wh_Leasing_Tenant'),
        await without.post('warehouse/query', { Sql: 'SELECT 1' }),
      ]) {
        expect(answer.status, answer.text).to.equal(503)
        expect(answer.text).to.include('ROLES')
      }
    })

    it('when the process that writes to MongoDB is killed, the other takes over', async () => {
      await eventually('MongoDB has it', async () => expect(await inMongo()).to.deep.equal(written))
      await writers[0]!.end('SIGKILL')
      await write(one)
      await eventually(
        'MongoDB has it',
        async () => expect(await inMongo()).to.deep.equal(written),
        TAKEOVER_MS,
      )
    })
  })
})
