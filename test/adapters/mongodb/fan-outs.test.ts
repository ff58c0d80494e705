/** Renames of one batch of events, on MongoDB or its stand-in: what is asked, and what is shown afterwards. */
import { expect } from 'chai'
import type { Connection } from '../../../src/adapters/mongodb/connection.ts'
import { fanOuts } from '../../../src/adapters/mongodb/read-models/fan-outs.ts'
import { oneAtATime } from '../../../src/adapters/mongodb/one-at-a-time.ts'
import { lookupsTo } from '../../../src/domain/definition.ts'
import { applyAll, tale, timeline } from '../../contracts/read-side/tale.ts'
import { mongoOpeners } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('renames in batches on MongoDB', mongo ? undefined : NOT_TESTED)
const TENANTS = 8

/** The connection, and how many questions for records it has been asked. */
function counting(connection: Connection): { connection: Connection; finds(): number } {
  let finds = 0
  const records: Connection['records'] = (object) =>
    new Proxy(connection.records(object), {
      get(collection, name) {
        const value = Reflect.get(collection, name) as unknown
        if (name === 'find') finds++
        return typeof value === 'function' ? (value.bind(collection) as unknown) : value
      },
    })
  const counted = new Proxy(connection, {
    get: (of, name) => (name === 'records' ? records : (Reflect.get(of, name) as unknown)),
  })
  return { connection: counted, finds: () => finds }
}

suite(`Renames in batches (${mongo?.name ?? 'none'})`, () => {
  whileRunning(mongo!)
  const open = mongoOpeners()
  afterEach(() => open.closeAll())

  /** Each of the tenants is in so many contracts, which show what it was called before. */
  async function renamedUnseen(contractsOf: (nth: number) => number) {
    const url = mongo!.newDatabase()
    const store = await open.store(url)
    const story = tale({ definitions, time: timeline() })
    const tenants = Array.from({ length: TENANTS }, (_, n) => story.create('tenant', { Name: `Ann ${n}` }))
    const contracts = tenants.flatMap((Tenant, nth) =>
      Array.from({ length: contractsOf(nth) }, () => story.create('contract', { Tenant })),
    )
    await applyAll(store, story.untold())
    await store.settled()
    const under = open.connection(url)
    await under.ready()
    const { company } = story
    for (const [n, key] of tenants.entries()) {
      const change = { [`values.Name`]: `Bea ${n}` }
      await under.records('tenant').updateOne({ company, key }, { $set: change })
    }
    const position = await store.position('records')
    const { connection, finds } = counting(under)
    const renames = fanOuts({
      ...{ connection, definitions, inTurn: oneAtATime() },
      reached: () => position,
      has: () => true,
      onChange: async () => {},
      onTrouble: (message, error) => expect.fail(`${message} ${String(error)}`),
    })
    const renamed = tenants.map((key) => ({ company, object: 'tenant', key, position }))
    const shown = async () => {
      const found = await under
        .records('contract')
        .find({ company, key: { $in: contracts } })
        .toArray()
      return found.map(({ json }) => (JSON.parse(json) as { Tenant: { Name: string } }).Tenant.Name)
    }
    return { add: () => renames.add(renamed, position), renames, finds, shown, under }
  }

  it('ask once for names and once for each lookup, however many were renamed', async () => {
    const { add, finds, shown, under } = await renamedUnseen(() => 2)
    await add()
    expect(finds()).to.equal(1 + lookupsTo(definitions, 'tenant').length)
    const names = Array.from({ length: TENANTS }, (_, n) => `Bea ${n}`)
    expect(await shown()).to.have.members([...names, ...names])
    expect(await under.fanOuts.countDocuments()).to.equal(0)
  })

  it('leave for later what too many show, and show the others at once', async () => {
    const last = TENANTS - 1
    const { add, renames, shown, under } = await renamedUnseen((nth) => (nth === 0 ? 60 : 2))
    await add()
    expect(await under.fanOuts.countDocuments()).to.equal(1)
    const few = (await shown()).filter((name) => name.startsWith('Bea'))
    expect(few).to.have.length(2 * last)
    renames.workOff()
    await renames.idle()
    const names = Array.from({ length: last }, (_, n) => `Bea ${n + 1}`)
    expect(await shown()).to.have.members([...names, ...names, ...Array<string>(60).fill('Bea 0')])
    expect(await under.fanOuts.countDocuments()).to.equal(0)
  })
})
