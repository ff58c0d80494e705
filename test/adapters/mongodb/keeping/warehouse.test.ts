/** The warehouse's rows in MongoDB as the process with the role `projections` keeps them, while the server fails. */
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { keepMongoWarehouse } from '../../../../src/adapters/mongodb/keeping/warehouse.ts'
import { startFerretDb } from '../../../engines/ferretdb/start.ts'
import { hasFerretDb, NO_FERRETDB } from '../../../engines/mongodb-under-test.ts'
import { mongoWire } from '../../../engines/mongo-wire.ts'
import { suiteOf } from '../../../engines/suite-of.ts'
import { happened, record } from '../../../support/given.ts'
import { memoryEventStore, memoryLog } from '../../../support/memory-event-store.ts'
import { sampleDefinitions as definitions } from '../../../support/sample-definitions.ts'
import { key } from '../../../support/write-side.ts'
import { eventually } from '../../../system/support/eventually.ts'

const suite = suiteOf('the warehouse in MongoDB', hasFerretDb ? undefined : NO_FERRETDB)

suite('the process that keeps the warehouse in MongoDB', function () {
  this.timeout(60_000)
  let server: Awaited<ReturnType<typeof startFerretDb>>
  before(async () => {
    server = await startFerretDb()
  })
  after(() => server.stop())

  it('begins to write once the server is there again, however often it was away as it began to lead', async () => {
    let breaks = 6
    const wire = await mongoWire({
      to: { port: Number(new URL(server.url).port) },
      onCommand: ({ find, insert }) =>
        [find, insert].includes('warehouse_positions') && breaks-- > 0 ? 'reset' : undefined,
    })
    const events = memoryEventStore({ log: memoryLog() })
    await record(events, [happened(key('tenant', 1), 'tenant.created', { Name: 'Anna' })])
    const errors: string[] = []
    const client = new MongoClient(`${server.url}warehouse`)
    const stop = keepMongoWarehouse({
      url: `mongodb://127.0.0.1:${wire.port}/warehouse`,
      definitions,
      events,
      log: { error: (_, message) => void errors.push(message ?? '') },
      now: () => 0,
    })
    try {
      await eventually('it is written', async () => {
        const rows = await client.db().collection('wh_Leasing_Tenant').find().toArray()
        expect(rows.map(({ Name }) => Name as string)).to.deep.equal(['Anna'])
      })
      expect(breaks).to.be.lessThan(1)
    } finally {
      await stop()
      await client.close()
      await wire.stop()
    }
  })
})
