/** The warehouse on PostgreSQL written by several processes, and beside readers that take their time. */
import { expect } from 'chai'
import pg from 'pg'
import {
  postgresWarehouseStore,
  type PostgresWarehouseStore,
} from '../../../src/adapters/postgres/warehouse/projection-store.ts'
import type { Definitions, ObjectDefinition } from '../../../src/domain/definition.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { LastEvent } from '../../../src/ports/projection-store.ts'
import { lastOf } from '../../../src/projections/projection.ts'
import { WAREHOUSE, warehouseProjection } from '../../../src/projections/warehouse.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { newEvent } from '../../support/events.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'
import { COMPANY, key } from '../../support/write-side.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('several writers of the warehouse on PostgreSQL', postgres ? undefined : NO_POSTGRES)

const tenant = (position: number): RecordedEvent => ({
  ...newEvent({ company: COMPANY, type: 'tenant.created', data: { Name: `Tenant ${position}` } }),
  stream: key('tenant', position),
  version: 1,
  position,
})

suite(`several writers of the warehouse on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(60_000)
  whileRunning(postgres!)
  let url = ''
  let ends: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    url = await postgres!.server().newDatabase()
  })
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
    ends = []
  })

  const open = async (definitions: Definitions = sampleDefinitions): Promise<PostgresWarehouseStore> => {
    const store = postgresWarehouseStore({ url, definitions, now: () => 0 })
    ends.push(() => store.close())
    await store.isOutdated()
    return store
  }
  const reader = async () => {
    const client = new pg.Client(url)
    await client.connect()
    ends.push(() => client.end())
    return client
  }
  const apply = async (
    store: Pick<PostgresWarehouseStore, 'apply'>,
    events: readonly RecordedEvent[],
    after = 0,
  ) => {
    const { project } = warehouseProjection(sampleDefinitions)
    const steps = events.map((event) => ({ position: event.position, operations: project(event) }))
    await store.apply([{ projection: WAREHOUSE, after, steps }], events.at(-1)!.position, lastOf(events))
  }
  const names = async () => {
    const { rows } = await (await reader()).query('SELECT "Name" FROM "wh_Leasing_Tenant" ORDER BY "Key"')
    return (rows as { Name: string }[]).map(({ Name }) => Name)
  }
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error as Error,
    )

  it('is built beside by one of them: the one that began last', async () => {
    const [one, other] = [(await open()).beside(), (await open()).beside()]
    await one.store.position(WAREHOUSE)
    await apply(one.store, [tenant(1), tenant(2)])
    expect(await other.store.position(WAREHOUSE)).to.equal(0)
    await apply(other.store, [tenant(1)])
    expect((await failure(apply(one.store, [tenant(3)], 1)))?.message).to.include('another process builds')
    expect((await failure(one.swap()))?.message).to.include('another process builds')
    await one.discard()
    await apply(other.store, [tenant(2), tenant(3)], 1)
    expect(await other.swap()).to.equal(true)
    await other.discard()
    expect(await names()).to.deep.equal(['Tenant 1', 'Tenant 2', 'Tenant 3'])
  })

  it('shows a rebuild that was begun and left to those that write by the same definitions', async () => {
    const before = await open()
    await apply(before, [tenant(1), tenant(2)])
    const old = sampleDefinitions.get('tenant')!
    const changed = new Map([...sampleDefinitions, ['tenant', { ...old, display: 'Email' }]])
    const [one, other] = [await open(changed), await open(changed)]
    expect([await one.isOutdated(), await one.begunRebuild()]).to.deep.equal([true, undefined])
    const left = one.beside()
    await left.store.position(WAREHOUSE)
    const begun = await other.begunRebuild()
    expect(begun).to.match(/ 0$/)
    await apply(left.store, [tenant(1)])
    expect(await other.begunRebuild()).to.equal(begun!.replace(/0$/, '1'))
    expect(await before.begunRebuild()).to.equal(undefined)
    await left.discard()
    expect(await other.begunRebuild()).to.equal(undefined)
  })

  it('is cleared once for a log that is another one, and then followed without a gap', async () => {
    const [one, other] = [await open(), await open()]
    await apply(one, [tenant(1), tenant(2)])
    const stray = (await other.lastEvent()) as LastEvent
    await one.clear(stray)
    await apply(one, [tenant(3)])
    await other.clear(stray)
    expect(await names()).to.deep.equal(['Tenant 3'])
    await one.clear((await one.lastEvent()) as LastEvent)
    expect(await failure(apply(other, [tenant(5)], 4))).to.be.instanceOf(Unavailable)
    expect(await other.position(WAREHOUSE)).to.equal(0)
  })

  it('is not written by older definitions once newer ones have changed its tables', async () => {
    const before = await open()
    await apply(before, [tenant(1)])
    const old = sampleDefinitions.get('tenant')!
    const more: ObjectDefinition = { ...old, fields: [...old.fields, { name: 'Nickname', type: 'text' }] }
    const after = await open(new Map([...sampleDefinitions, ['tenant', more]]))
    expect((await failure(apply(before, [tenant(2)], 1)))?.message).to.include('other definitions')
    await apply(after, [tenant(2)], 1)
    expect(await names()).to.deep.equal(['Tenant 1', 'Tenant 2'])
  })

  it('lets readers pass while it waits for one that holds a table', async () => {
    const store = await open()
    await apply(store, [tenant(1)])
    const long = await reader()
    await long.query('BEGIN; SELECT FROM "wh_Leasing_Tenant"')
    const clearing = store.clear((await store.lastEvent()) as LastEvent)
    const began = performance.now()
    const others = await reader()
    for (let i = 0; performance.now() - began < 3_000; i++)
      await others.query('SELECT FROM "wh_Leasing_Tenant"')
    await long.query('COMMIT')
    await clearing
    expect(await names()).to.deep.equal([])
  })
})
