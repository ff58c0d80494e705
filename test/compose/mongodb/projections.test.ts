/** The read models on MongoDB as the process with the role `projections` keeps them, while the server fails and is rebuilt. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { connect } from '../../../src/adapters/mongodb/connection.ts'
import { mongoProjectionControl } from '../../../src/adapters/mongodb/read-models/projection-control.ts'
import { mongoReadModels } from '../../../src/adapters/mongodb/read-models/read-models.ts'
import { keepMongoReadModels } from '../../../src/compose/mongodb/projections.ts'
import { startFerretDb } from '../../engines/ferretdb/start.ts'
import { mongoWire, type MongoWireOptions } from '../../engines/mongo-wire.ts'
import { hasFerretDb, NO_FERRETDB } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { happened, record } from '../../support/given.ts'
import { memoryEventStore, memoryLog } from '../../support/memory-event-store.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'
import { eventually } from '../../system/support/eventually.ts'
import { COMPANY, key } from '../../support/write-side.ts'

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
  const start = async (way: Omit<MongoWireOptions, 'to'> = {}) => {
    const wire = await mongoWire({ ...way, to: { port: Number(new URL(server.url).port) } })
    const name = `projections_${++databases}`
    const url = `${server.url}${name}`
    const events = memoryEventStore({ log: memoryLog() })
    const errors: string[] = []
    let rebuilds = 0
    const stop = await keepMongoReadModels({
      url: `mongodb://127.0.0.1:${wire.port}/${name}`,
      definitions,
      events,
      log: { error: (_, message) => void errors.push(message ?? '') },
      now: () => ++rebuilds,
    })
    const readModels = await mongoReadModels({ url, definitions })
    const control = mongoProjectionControl({ url, definitions, readModels })
    const connection = connect({ url, definitions })
    ends.push(
      () => wire.stop(),
      stop,
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
    return { connection, control, errors, isShown, readModels, states, tell, tellUnknown }
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
})
