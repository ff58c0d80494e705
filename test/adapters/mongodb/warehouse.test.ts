/** The warehouse's rows in MongoDB: what operators' tools find there, and that it is what the files have. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import {
  mongoSink,
  sinkCollections,
  sinkStatus,
  type MongoSink,
} from '../../../src/adapters/mongodb/warehouse/sink.ts'
import { cellOf, type RowDocument } from '../../../src/adapters/mongodb/warehouse/write-rows.ts'
import { sqliteWarehouseStore } from '../../../src/adapters/sqlite/warehouse/projection-store.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { evolveCatalogue } from '../../../src/domain/warehouse/catalogue.ts'
import { CURRENT_COLUMNS } from '../../../src/domain/warehouse/columns.ts'
import { WAREHOUSE_MONGODB } from '../../../src/projections/warehouse.ts'
import { tell } from '../../contracts/warehouse.ts'
import { COMPANIES, deliveries, randomHistory } from '../../contracts/warehouse/random-history.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the warehouse in MongoDB', mongo ? undefined : NOT_TESTED)

const NOW = Date.parse('2026-03-01T00:00:00Z')

suite(`the warehouse in MongoDB (${mongo?.name ?? 'none'})`, function () {
  this.timeout(60_000)
  whileRunning(mongo!)
  const events = randomHistory('sink', 300)
  let url: string
  let client: MongoClient
  let sink: MongoSink

  const open = async (definitions: Definitions = sampleDefinitions) => {
    sink = mongoSink({ url, definitions, now: () => NOW })
    await sink.leading()
  }
  const reopen = async (definitions?: Definitions) => {
    await sink.close()
    await open(definitions)
  }
  beforeEach(async () => {
    url = mongo!.newDatabase()
    client = await new MongoClient(url).connect()
    await open()
  })
  afterEach(async () => {
    await sink.close()
    await client.close()
  })

  const rows = (table: string) => client.db().collection<RowDocument>(table)
  const position = () => sink.position(WAREHOUSE_MONGODB)
  const { tables } = evolveCatalogue(undefined, sampleDefinitions, { at: '', position: 0 }).catalogue

  /** Every row of every company, as the files have it that these events lead to. */
  const inFiles = async (of: readonly RecordedEvent[]) => {
    const folder = newFolder()
    try {
      const store = sqliteWarehouseStore({ folder, definitions: sampleDefinitions, now: () => NOW })
      await tell(store, of)
      await store.close()
      return tables.flatMap(({ name, columns }) =>
        COMPANIES.flatMap((company) => {
          const db = new DatabaseSync(join(folder, `${company}.db`), { readOnly: true })
          const names = [...CURRENT_COLUMNS, ...columns].map((column) => `"${column.name}"`)
          const found = db.prepare(`SELECT ${names.join(', ')} FROM "${name}" ORDER BY "Key"`).all()
          db.close()
          return found.map((row) => [company, name, ...Object.values(row)])
        }),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const inMongo = async () => {
    const found = []
    for (const { name, columns } of tables)
      for (const company of COMPANIES)
        for (const document of await rows(name).find({ _Company: company }).sort({ _id: 1 }).toArray())
          found.push([
            company,
            name,
            ...[...CURRENT_COLUMNS, ...columns]
              .map((column) => cellOf(column.type, document[column.name]))
              .map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)),
          ])
    return found
  }

  for (const batch of [7, 1_000])
    it(`has the rows that the files have, in batches of ${batch}, every tenth event twice`, async () => {
      for (const delivered of deliveries(events, batch)) await tell(sink, delivered)
      const wanted = await inFiles(events)
      expect(wanted.length).to.be.above(20)
      expect(await inMongo()).to.deep.equal(wanted)
    })

  it('is in the service’s own database, a collection a table for all companies', async () => {
    await tell(sink, events)
    const own = client.db().databaseName
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    expect(databases.filter(({ name }) => name.startsWith(own)).map(({ name }) => name)).to.deep.equal([own])
    const [row] = await rows('wh_Leasing_Contract').find({ _Company: COMPANIES[0] }).toArray()
    expect(row!._id).to.equal(`${COMPANIES[0]} ${String(row!['Key'])}`)
    expect(row!['IsDeleted']).to.be.a('boolean')
    expect(row!['CreatedAt']).to.be.instanceOf(Date)
    expect(row!['StartDate']).to.be.instanceOf(Date)
  })

  it('makes up for a batch that was cut off anywhere', async () => {
    await tell(sink, events.slice(0, 150))
    const before = await position()
    const ordinals = client.db().collection<{ _id: string }>('warehouse_ordinals')
    const counted = await ordinals.find().toArray()
    await tell(sink, events.slice(150))
    // Rows are there, names are not, and nothing is counted: as after a crash between the writes of a batch.
    await rows('wh_Leasing_Contract').updateMany(
      { Tenant: { $ne: null } },
      { $set: { Tenant_Name: 'old', _Stamp: before } },
    )
    await rows('wh_Leasing_Unit').updateMany({}, { $set: { Building_Name: 'old', _Stamp: before } })
    const renamed = new Set(
      events
        .slice(150)
        .filter(({ type, data }) => type === 'tenant.updated' && 'Name' in data)
        .map(({ stream }) => stream),
    )
    await client
      .db()
      .collection('warehouse_positions')
      .updateOne({}, { $set: { [`positions.${WAREHOUSE_MONGODB}`]: before } })
    for (const document of counted) await ordinals.replaceOne({ _id: document._id }, document)
    await reopen()
    expect(await position()).to.equal(before)
    await tell(sink, events.slice(150))
    const shown = await rows('wh_Leasing_Contract')
      .find({ Tenant: { $in: [...renamed] } })
      .toArray()
    expect(shown.length).to.be.above(0)
    expect(shown.filter((row) => row['Tenant_Name'] === 'old')).to.deep.equal([])
  })

  it('is written again from the first event when it is cleared, or an object has another name', async () => {
    await tell(sink, events)
    await rows('wh_Leasing_Contract').updateMany({}, { $set: { Status: 'Wrong' } })
    await sink.clear()
    expect([await position(), await rows('wh_Leasing_Contract').countDocuments()]).to.deep.equal([0, 0])
    await tell(sink, events)
    expect(await inMongo()).to.deep.equal(await inFiles(events))

    const letting = { ...sampleDefinition('tenant'), application: 'Letting' }
    await reopen(new Map([...sampleDefinitions, ['tenant', letting] as const]))
    expect(await position()).to.equal(0)
    await tell(sink, events)
    expect(await rows('wh_Letting_Tenant').countDocuments()).to.be.above(0)
    expect(await rows('wh_Leasing_Tenant').countDocuments()).to.equal(0)
  })

  it('shows other processes how it stands', async () => {
    await tell(sink, events)
    const error = { position: 7, message: 'some event' }
    await sink.publish([{ name: WAREHOUSE_MONGODB, position: 6, state: 'parked', error }])
    const other = sinkCollections({ url, definitions: sampleDefinitions })
    try {
      await other.connection.ready()
      const at = events.at(-1)!.position
      expect(await sinkStatus(other)).to.deep.equal({
        name: WAREHOUSE_MONGODB,
        position: at,
        state: 'parked',
        error,
      })
    } finally {
      await other.connection.close()
    }
  })
})
