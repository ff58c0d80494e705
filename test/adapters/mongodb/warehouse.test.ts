/** The warehouse on MongoDB: its contract, asked through the copies that processes keep, and what analysts find there. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient, type Db } from 'mongodb'
import { warehouseChanges, type WarehouseChanges } from '../../../src/adapters/mongodb/warehouse/changes.ts'
import { databaseName } from '../../../src/adapters/mongodb/warehouse/databases.ts'
import {
  mongoWarehouseStore,
  type MongoWarehouseStore,
} from '../../../src/adapters/mongodb/warehouse/projection-store.ts'
import { copyWarehouse } from '../../../src/compose/mongodb/warehouse-copying.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { tell, warehouseContract, type WarehouseSide } from '../../contracts/warehouse.ts'
import { COMPANIES, randomHistory } from '../../contracts/warehouse/random-history.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the warehouse on MongoDB', mongo ? undefined : NOT_TESTED)

const NOW = Date.parse('2026-03-01T00:00:00Z')

interface MongoSide extends WarehouseSide {
  readonly store: MongoWarehouseStore
  readonly changes: WarehouseChanges
  /** The company's own database. */
  database(company: string): Db
}

interface Place {
  readonly url: string
  readonly folder: string
  readonly client: MongoClient
}

async function openSide(definitions: Definitions, place?: Place): Promise<MongoSide> {
  const url = place?.url ?? mongo!.newDatabase()
  const folder = place?.folder ?? join(newFolder(), 'copies')
  mkdirSync(folder, { recursive: true })
  const client = place?.client ?? (await new MongoClient(url).connect())
  const store = mongoWarehouseStore({ url, definitions, now: () => NOW })
  await store.leading()
  const changes = warehouseChanges({ url, definitions })
  const base = client.db().databaseName
  const database = (company: string) => client.db(databaseName(base, company))
  const close = async () => {
    await changes.close()
    await store.close()
  }
  return {
    store,
    changes,
    database,
    async fileOf(company) {
      await copyWarehouse({ changes, folder, company })
      return join(folder, `${company}.db`)
    },
    async reopen(changed = definitions) {
      await close()
      return openSide(changed, { url, folder, client })
    },
    async rebuild(events) {
      const beside = store.beside()
      await tell(beside.store, events, definitions)
      expect(await beside.swap()).to.equal(true)
      await beside.discard()
    },
    async forget(position) {
      await client
        .db()
        .collection('warehouse_positions')
        .updateOne({}, { $set: { 'positions.warehouse': position } })
    },
    async spoil(company) {
      await database(company)
        .collection('wh_Leasing_Contract')
        .updateMany({}, { $set: { Status: 'Wrong', _Stamp: 1e9 } })
      await database(company).collection('wh_Leasing_Tenant_history').deleteMany({})
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
    },
    async discard() {
      await close()
      await client.close()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    },
  }
}

suite(`the warehouse on MongoDB (${mongo?.name ?? 'none'})`, function () {
  this.timeout(60_000)
  whileRunning(mongo!)

  warehouseContract({ open: (definitions) => openSide(definitions), events: 400 })

  describe('in the company’s own database', () => {
    let side: MongoSide
    beforeEach(async () => (side = await openSide(sampleDefinitions)))
    afterEach(() => side.discard())

    it('is a collection a table, with dates as dates and booleans as booleans, and nobody else’s rows', async () => {
      const events = randomHistory('collections', 150)
      await tell(side.store, events)
      for (const company of COMPANIES) {
        const rows = await side.database(company).collection('wh_Leasing_Contract').find().toArray()
        expect(rows.length).to.be.above(3)
        for (const row of rows) {
          expect(row).to.include.keys('Key', 'IsDeleted', 'CreatedAt', 'ModifiedAt', 'MonthlyRent_Currency')
          expect(row['IsDeleted']).to.be.a('boolean')
          expect(row['CreatedAt']).to.be.instanceOf(Date)
          expect(row['StartDate']).to.be.instanceOf(Date)
        }
        const own = new Set(
          events.filter(({ metadata }) => metadata.company === company).map(({ stream }) => stream),
        )
        expect(rows.filter((row) => !own.has(row['Key'] as string))).to.deep.equal([])
      }
    })

    it('says what columns mean, and notes when they change', async () => {
      await tell(side.store, randomHistory('meaning', 50))
      const tenant = sampleDefinition('tenant')
      const fields = [...tenant.fields, { name: 'Nickname', type: 'text' as const }]
      side = (await side.reopen(
        new Map([...sampleDefinitions, ['tenant', { ...tenant, fields }]]),
      )) as MongoSide
      const [, ...later] = [0, ...randomHistory('meaning', 60).slice(50)]
      await tell(side.store, later)
      const database = side.database(later[0]!.metadata.company)
      const column = await database.collection('wh__columns').findOne({ ColumnName: 'Nickname' })
      expect(column).to.include({ TableName: 'wh_Leasing_Tenant', Type: 'text', IsCurrent: true })
      const change = await database.collection('wh__schema_log').findOne({ ColumnName: 'Nickname' })
      expect(change).to.include({ Change: 'column added' })
    })

    it('is to be built anew when an object is kept under another name, until it has been', async () => {
      const events = randomHistory('renamed', 60)
      await tell(side.store, events)
      const letting = new Map([
        ...sampleDefinitions,
        ['tenant', { ...sampleDefinition('tenant'), application: 'Letting' }] as const,
      ])
      side = (await side.reopen(letting)) as MongoSide
      side = (await side.reopen(letting)) as MongoSide
      expect(await side.store.leading()).to.equal(true)
      await side.rebuild(events)
      expect(await side.store.leading()).to.equal(false)
      expect(await side.database(COMPANIES[0]).collection('wh_Letting_Tenant').countDocuments()).to.be.above(
        0,
      )
    })

    it('a batch that was cut off anywhere is made up for by the next', async () => {
      const events = randomHistory('cut off', 120)
      const other = await openSide(sampleDefinitions)
      try {
        await tell(other.store, events)
        await tell(side.store, events.slice(0, 60))
        const before = (await side.changes.status()).position
        await tell(side.store, events.slice(60))
        // Versions are there, records and names are not: as after a crash between the writes of a batch.
        for (const company of COMPANIES) {
          const tenants = side.database(company).collection('wh_Leasing_Contract')
          await tenants.updateMany(
            { Tenant: { $ne: null } },
            { $set: { Tenant_Name: 'old', _Stamp: before } },
          )
        }
        await side.forget(before)
        side = (await side.reopen()) as MongoSide
        await tell(side.store, events.slice(60))
        const renamed = new Set(
          events
            .slice(60)
            .filter(({ type, data }) => type === 'tenant.updated' && 'Name' in data)
            .map(({ stream }) => stream),
        )
        expect(renamed.size).to.be.above(0)
        let seen = 0
        for (const company of COMPANIES) {
          const shown = async (of: MongoSide) =>
            of
              .database(company)
              .collection('wh_Leasing_Contract')
              .find({ Tenant: { $in: [...renamed] } })
              .sort({ _id: 1 })
              .toArray()
              .then((rows) => rows.map((row) => [String(row['Key']), String(row['Tenant_Name'])]))
          const wanted = await shown(other)
          seen += wanted.length
          expect(await shown(side)).to.deep.equal(wanted)
        }
        expect(seen).to.be.above(0)
      } finally {
        await other.discard()
      }
    })
  })
})
