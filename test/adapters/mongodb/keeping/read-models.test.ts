/** The read models on MongoDB as the process with the role `projections` keeps them, while the server fails and is rebuilt. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { connect } from '../../../../src/adapters/mongodb/connection.ts'
import { mongoProjectionControl } from '../../../../src/adapters/mongodb/read-models/projection-control.ts'
import { mongoReadModels } from '../../../../src/adapters/mongodb/read-models/read-models.ts'
import { keepMongoReadModels } from '../../../../src/adapters/mongodb/keeping/read-models.ts'
import { startFerretDb } from '../../../engines/ferretdb/start.ts'
import { mongoWire, type MongoWireOptions } from '../../../engines/mongo-wire.ts'
import { hasFerretDb, NO_FERRETDB } from '../../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../../engines/suite-of.ts'
import { happened, record } from '../../../support/given.ts'
import { memoryEventStore, memoryLog, type MemoryLog } from '../../../support/memory-event-store.ts'
import { sampleDefinitions as definitions } from '../../../support/sample-definitions.ts'
import { eventually } from '../../../system/support/eventually.ts'
import { COMPANY, key } from '../../../support/write-side.ts'

const suite = suiteOf('the projections on MongoDB', hasFerretDb ? undefined : NO_FERRETDB)
const tenant = (number: number) => key('tenant', number)

suite('the process that keeps read models on MongoDB', function () {
  this.timeout(60_000)
  let server: Awaited<ReturnType<typeof startFerretDb>>
  let ends: (() => Promise<unknown>)[] = []
  let databases = 0
  before(async () => {
    server = await startFerretDb()
  })
  after(() => server.stop())
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
    ends = []
  })

  /** The projections reach the server by a way of their own; what they are asked and what is read goes past it. */
  const start = async (
    way: Omit<MongoWireOptions, 'to'> = {},
    { log = memoryLog(), name = `projections_${++databases}` }: { log?: MemoryLog; name?: string } = {},
  ) => {
    const wire = await mongoWire({ ...way, to: { port: Number(new URL(server.url).port) } })
    const url = `${server.url}${name}`
    const events = memoryEventStore({ log })
    const errors: string[] = []
    let rebuilds = 0
    const stop = keepMongoReadModels({
      url: `mongodb://127.0.0.1:${wire.port}/${name}`,
      definitions,
      events,
      log: { error: (_, message) => void errors.push(message ?? '') },
      now: () => 1_000 * databases + ++rebuilds,
    })
    const readModels = await mongoReadModels({ url, definitions })
    const control = mongoProjectionControl({ url, definitions, readModels })
    const connection = connect({ url, definitions })
    let isStopped = false
    const end = async () => {
      if (!isStopped) await stop()
      isStopped = true
    }
    ends.push(
      () => wire.stop(),
      end,
      () => readModels.close(),
      () => control.close(),
      () => connection.close(),
    )
    const tell = (...numbers: readonly number[]) =>
      record(
        events,
        numbers.map((number) => happened(tenant(number), 'tenant.created', { Name: `Tenant ${number}` })),
      )
    /** Of an object that is not defined. */
    const tellUnknown = () => record(events, [happened(key('gadget', 1), 'gadget.created')])
    const states = async () => (await readModels.status()).map(({ state }) => state)
    const isShown = (number: number) =>
      eventually('it is shown', async () =>
        expect(await readModels.get(COMPANY, 'tenant', tenant(number))).not.to.equal(undefined),
      )
    const generations = () => rebuilds
    return {
      ...{
        connection,
        control,
        errors,
        generations,
        isShown,
        log,
        name,
        readModels,
        states,
        tell,
        tellUnknown,
      },
      stop: end,
    }
  }

  it('parks nothing for connections that break while it writes', async () => {
    let breaks = 0
    const { errors, isShown, states, tell } = await start({
      onCommand: ({ $name }) =>
        breaks > 0 && /^(insert|update)$/.test($name) && breaks-- ? 'reset' : undefined,
    })
    await tell(1)
    await isShown(1)
    for (const [at, times] of [2, 4].entries()) {
      breaks = times
      await tell(at + 2)
      await isShown(at + 2)
    }
    expect(breaks).to.equal(0)
    expect(await states()).to.deep.equal(['live', 'live'])
    expect(errors.filter((message) => message.includes('parked'))).to.deep.equal([])
  })

  it('goes on when the server is away as it begins to lead', async () => {
    let asked = 0
    // The first look at the positions after the claim.
    const { isShown, tell } = await start({
      onCommand: ({ $name, find }) =>
        $name === 'find' && find === 'projection_positions' && [3, 4, 5].includes(++asked)
          ? 'reset'
          : undefined,
    })
    await tell(1)
    await isShown(1)
    expect(asked).to.be.greaterThan(5)
  })

  it('publishes that a projection is parked until that is stored', async () => {
    let breaks = 3
    const { isShown, states, tell, tellUnknown } = await start({
      onCommand: ({ $name, update, updates }) =>
        $name === 'update' &&
        update === 'projection_states' &&
        JSON.stringify(updates).includes('parked') &&
        breaks-- > 0
          ? 'reset'
          : undefined,
    })
    await tell(1)
    await isShown(1)
    await tellUnknown()
    await eventually('it is read', async () => expect(await states()).to.deep.equal(['parked', 'parked']))
    expect(breaks).to.equal(-1)
  })

  it('is live after a rebuild, also with the next event, and can be rebuilt again', async () => {
    const { control, isShown, states, tell } = await start()
    const isLive = () =>
      eventually('live', async () => expect(await states()).to.deep.equal(['live', 'live']))
    await tell(1)
    await isShown(1)
    await eventually('it begins', () => control.rebuild('records'))
    await isLive()
    // Progress was told at most every half second: an event within that time showed nothing.
    await delay(600)
    await tell(2)
    await isShown(2)
    expect(await states()).to.deep.equal(['live', 'live'])
    await control.rebuild('search')
    await isLive()
  })

  describe('beside a log that is another one', () => {
    it('builds what is there now in place of what is of the other, and that once', async () => {
      const before = await start()
      await before.tell(1, 2, 3)
      await before.isShown(3)
      await before.stop()
      // Longer than the other, so that its positions hide nothing.
      const log = memoryLog()
      const now = await start({}, { log, name: before.name })
      await now.tell(4, 5, 6, 7, 8)
      await now.isShown(8)
      expect(await now.readModels.get(COMPANY, 'tenant', tenant(1))).to.equal(undefined)
      expect(await now.readModels.get(COMPANY, 'tenant', tenant(4))).not.to.equal(undefined)
      expect(now.errors).to.deep.equal(['the read models are of another log, and are rebuilt'])
      await now.stop()
      const again = await start({}, { log, name: before.name })
      await again.tell(9)
      await again.isShown(9)
      expect(again.errors).to.deep.equal([])
    })

    it('does so where the other was longer', async () => {
      const before = await start()
      await before.tell(1, 2, 3, 4, 5, 6, 7, 8)
      await before.isShown(8)
      // A record is shown before the position that it came with.
      await eventually('it has come as far', async () =>
        expect((await before.readModels.lastEvents()).map(({ position }) => position)).to.deep.equal([8, 8]),
      )
      await before.stop()
      const now = await start({}, { name: before.name })
      await now.tell(9)
      await now.isShown(9)
      expect(await now.readModels.get(COMPANY, 'tenant', tenant(1))).to.equal(undefined)
      // They have read the other one, which had come further.
      await eventually('it is left', async () =>
        expect(await before.readModels.get(COMPANY, 'tenant', tenant(1))).to.equal(undefined),
      )
      expect(await before.readModels.reached(8, 50)).to.equal(false)
    })
  })

  it('writes what is served as soon as the server says what that is', async () => {
    const before = await start()
    await before.tell(1)
    await before.isShown(1)
    await before.control.rebuild('records')
    await eventually('it is rebuilt', async () =>
      expect((await before.connection.serving.find().toArray()).length).to.equal(1),
    )
    await before.stop()
    let breaks = 2 // the driver reads once more by itself
    const way: Omit<MongoWireOptions, 'to'> = {
      onCommand: ({ find }) => (find === 'projection_serving' && breaks-- > 0 ? 'reset' : undefined),
    }
    const now = await start(way, before)
    await now.tell(2)
    await now.isShown(2)
  })

  it('changes over when another process has rebuilt while it was away', async () => {
    const { connection, isShown, tell } = await start()
    await tell(1)
    await isShown(1)
    const _id = connection.generation
    await connection.serving.replaceOne({ _id }, { generation: `${_id}-other` }, { upsert: true })
    await tell(2)
    await isShown(2)
    await eventually('it is written', async () =>
      expect((await connection.positions.findOne({ _id: `${_id}-other` }))?.positions).to.deep.equal({
        records: 2,
        search: 2,
      }),
    )
  })

  it('leaves orders to the process that writes', async () => {
    let isCutOff = false
    const first = await start({
      onCommand: ({ update }) => (isCutOff && update === 'projection_leases' ? 'reset' : undefined),
    })
    await first.tell(1)
    await first.isShown(1)
    const second = await start({}, first)
    isCutOff = true
    await eventually('another leads', async () => {
      const lease = await first.connection.leases.findOne({ _id: first.connection.generation })
      expect(lease?.term).to.equal(2)
    })
    await second.tell(2)
    await second.isShown(2)
    await second.control.rebuild('records')
    await eventually('it is rebuilt', async () =>
      expect(await second.states()).to.deep.equal(['live', 'live']),
    )
    expect([first.generations(), second.generations()]).to.deep.equal([0, 1])
  })
})
