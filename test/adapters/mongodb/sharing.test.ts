/** Processes that write the read models together: who writes which company, and what becomes of the part of one that dies. */
import { expect } from 'chai'
import type { GivenShare } from '../../../src/adapters/mongodb/bookkeeping.ts'
import type { MongoProjectionStore } from '../../../src/adapters/mongodb/read-models/projection-store.ts'
import { changesOf } from '../../../src/adapters/mongodb/read-models/record-changes.ts'
import { writeChanges } from '../../../src/adapters/mongodb/read-models/write-changes.ts'
import { shardNumber } from '../../../src/adapters/mongodb/sharing/division.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { applyAll, tale, timeline, type Tale, type Timeline } from '../../contracts/read-side/tale.ts'
import { failureOf, mongoOpeners } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { eventually } from '../../system/support/eventually.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('shared writing on MongoDB', mongo ? undefined : NOT_TESTED)
/** Quick to notice who comes, and longer than a busy machine keeps somebody from showing that it lives. */
const LEASE_MS = 3_000

suite(`processes that write read models together (${mongo?.name ?? 'none'})`, function () {
  this.timeout(60_000)
  whileRunning(mongo!)

  const open = mongoOpeners()
  afterEach(() => open.closeAll())

  const companies = (time: Timeline): readonly Tale[] =>
    Array.from({ length: 12 }, (_, n) => tale({ definitions, time, company: `company-${n}` }))
  /** All steps of all, in order. */
  const untold = (stories: readonly Tale[]) =>
    stories.flatMap((story) => story.untold()).sort((a, b) => a.records.position - b.records.position)

  const opened = async (url: string, count: number) => {
    const turns: number[] = []
    const stores: MongoProjectionStore[] = []
    for (let n = 0; n < count; n++) {
      turns.push(0)
      const store = await open.store(url, { leaseMs: LEASE_MS })
      store.share(() => void turns[n]!++)
      // In this order: the first leads.
      await store.leading()
      stores.push(store)
    }
    const { positions, shares, generation, connection } = givenIn(url)
    const given = async () => (await positions.findOne({ _id: generation }))?.given ?? []
    const divided = (parts: number) =>
      eventually('the work is divided', async () => expect(await given()).to.have.length(parts))
    return { stores, turns, given, divided, positions, shares, generation, connection }
  }
  const givenIn = (url: string) => {
    const connection = open.connection(url)
    const { checkpoints: positions, shares, generation } = connection
    return { connection, positions, shares, generation }
  }
  const expectShown = async (url: string, stories: readonly Tale[], keys: readonly string[]) => {
    const readModels = await open.readModels(url)
    for (const [n, story] of stories.entries())
      expect((await readModels.get(story.company, 'tenant', keys[n]!))?.json, story.company).to.equal(
        JSON.stringify(story.served(keys[n]!)),
      )
  }
  const create = (stories: readonly Tale[]) =>
    stories.map((story) => story.create('tenant', { Name: `Of ${story.company}` }))

  it('each write the records of their own companies, and everything is there when all have come so far', async () => {
    const url = mongo!.newDatabase()
    const { stores, divided, given, connection } = await opened(url, 3)
    await divided(2)
    const time = timeline()
    const stories = companies(time)
    const keys = create(stories)
    const steps = untold(stories)
    const readModels = await open.readModels(url)
    await connection.ready()
    const written = async () =>
      (await connection.records('tenant').find().toArray()).map(({ company }) => company).sort()
    const [first, ...others] = stores
    await applyAll(first!, steps)
    const ofOthers = new Set((await given()).flatMap(({ shards }) => shards))
    const own = stories.map(({ company }) => company).filter((one) => !ofOthers.has(shardNumber(one)))
    expect(await written()).to.deep.equal(own.sort())
    expect(await readModels.reached(time.last(), 50)).to.equal(false)
    for (const other of others) await applyAll(other, steps)
    expect(await written()).to.have.length(stories.length)
    expect(await readModels.reached(time.last(), 5_000)).to.equal(true)
    await expectShown(url, stories, keys)
  })

  it('take over what one had that shows no sign of life, from where it had come to', async () => {
    const url = mongo!.newDatabase()
    const { stores, turns, divided, given, connection, shares } = await opened(url, 1)
    const [store] = stores
    const { members, generation } = connection
    const stories = companies(timeline())
    const keys = create(stories)
    const steps = untold(stories)
    await applyAll(store!, steps)
    await members.insertOne({ _id: 'one that dies', generation, beat: 1 })
    await divided(1)
    const [{ id, shards }] = (await given()) as unknown as [GivenShare]
    const before = (await shares.findOne({ _id: id }))!.positions['records']!
    expect(before).to.equal(steps.at(-1)!.records.position)
    for (const [n, story] of stories.entries()) story.change(keys[n]!, { Name: `Later ${story.company}` })
    const later = untold(stories)
    await applyAll(store!, later)
    const isGiven = ({ company }: Tale) => shards.includes(shardNumber(company))
    expect(stories.some(isGiven)).to.equal(true)
    const turnsBefore = turns[0]!
    await divided(0)
    await eventually('it is said', async () => expect(turns[0]).to.be.greaterThan(turnsBefore))
    expect(await store!.position('records')).to.equal(before)
    await applyAll(store!, later)
    await expectShown(url, stories, keys)
    expect(await connection.members.countDocuments()).to.be.at.least(1)
  })

  it('go on when the one that leads is gone: another takes everything over', async () => {
    const url = mongo!.newDatabase()
    const { stores, divided, given } = await opened(url, 2)
    await divided(1)
    const [first, second] = stores as [MongoProjectionStore, MongoProjectionStore]
    const stories = companies(timeline())
    const keys = create(stories)
    const steps = untold(stories)
    await applyAll(second, steps)
    await first.close()
    await eventually('it leads', async () => expect(second.isLeading()).to.equal(true))
    await eventually('it has everything', async () => expect(await given()).to.deep.equal([]))
    // What the first had is at its beginning.
    expect(await second.position('records')).to.equal(0)
    await applyAll(second, steps)
    await expectShown(url, stories, keys)
  })

  it('move nothing that was taken from them, and undo nothing that others did with it', async () => {
    const url = mongo!.newDatabase()
    const { stores, divided, given, shares, connection } = await opened(url, 2)
    await divided(1)
    await connection.ready()
    const [first, second] = stores as [MongoProjectionStore, MongoProjectionStore]
    const stories = companies(timeline())
    const keys = create(stories)
    const created = untold(stories)
    for (const store of stores) await applyAll(store, created)
    const [{ id }] = (await given()) as unknown as [GivenShare]
    for (const [n, story] of stories.entries()) story.change(keys[n]!, { Name: 'Earlier' })
    const earlier = untold(stories)
    const late = await changesOf({
      connection,
      definitions,
      operations: earlier.flatMap(({ records: { position, operations } }) =>
        operations.map((operation) => ({ position, operation })),
      ),
    })
    await first.alone()
    expect(await given()).to.deep.equal([])
    const before = (await shares.findOne({ _id: id }))?.positions
    expect(await failureOf(applyAll(second, earlier))).to.be.instanceOf(Unavailable)
    expect((await shares.findOne({ _id: id }))?.positions).to.deep.equal(before)
    for (const [n, story] of stories.entries()) story.change(keys[n]!, { Name: 'Later' })
    await applyAll(first, [...earlier, ...untold(stories)])
    expect(await writeChanges({ connection, changes: late.changed, onTrouble: () => {} })).to.equal(false)
    await expectShown(url, stories, keys)
  })

  it('count a change of any of them as one of the records', async () => {
    const url = mongo!.newDatabase()
    const { stores, divided } = await opened(url, 2)
    const [first, second] = stores as [MongoProjectionStore, MongoProjectionStore]
    await divided(1)
    const stories = companies(timeline())
    const readModels = await open.readModels(url)
    const total = async (company: string) =>
      (
        await readModels.list(company, {
          ...{ object: 'tenant', sort: [], offset: 0, limit: 0, expand: [] },
        })
      ).total
    const totals = async () => Promise.all(stories.map(({ company }) => total(company)))
    for (let round = 1; round <= 3; round++) {
      create(stories)
      const steps = untold(stories)
      await applyAll(first, steps)
      await totals()
      await eventually('it has its part', () => applyAll(second, steps))
      expect(await totals()).to.deep.equal(stories.map(() => round))
      await first.alone()
      first.share(() => {})
      await divided(1)
    }
  })
})
