/**
 * One process after another, and one version after another, on the same MongoDB: who writes, what a dead process left,
 * and what becomes of old read models.
 */
import { expect } from 'chai'
import type { Connection } from '../../../src/adapters/mongodb/connection.ts'
import { generationOf } from '../../../src/adapters/mongodb/read-models/generation-of.ts'
import { changesOf } from '../../../src/adapters/mongodb/read-models/record-changes.ts'
import { otherGenerations } from '../../../src/adapters/mongodb/read-models/generations.ts'
import { seekLease } from '../../../src/adapters/mongodb/lease.ts'
import type { MongoProjectionStore } from '../../../src/adapters/mongodb/read-models/projection-store.ts'
import { documentId } from '../../../src/adapters/mongodb/read-models/record-document.ts'
import { writeChanges } from '../../../src/adapters/mongodb/read-models/write-changes.ts'
import type { Definitions, ObjectDefinition } from '../../../src/domain/definition.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { ask } from '../../contracts/read-side/ask.ts'
import { applyAll, tale, timeline, type TwoSteps } from '../../contracts/read-side/tale.ts'
import { failureOf, mongoOpeners } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { eventually } from '../../system/support/eventually.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../../support/sample-definitions.ts'

/** A definition with one more field. */
function withField(object: string): ObjectDefinition {
  const definition = sampleDefinition(object)
  return { ...definition, fields: [...definition.fields, { name: 'Added', type: 'text' }] }
}

const mongo = mongoUnderTest()
const suite = suiteOf('takeover on MongoDB', mongo ? undefined : NOT_TESTED)

suite(`processes that share a MongoDB (${mongo?.name ?? 'none'})`, () => {
  whileRunning(mongo!)

  const open = mongoOpeners()
  afterEach(() => open.closeAll())

  describe('the lease', () => {
    const nextBatch = (time = timeline()) => {
      const story = tale({ definitions, time })
      const key = story.create('tenant', { Name: 'Someone' })
      return { story, key, steps: story.untold() }
    }

    it('lets one process write, and the next as soon as that one is closed', async () => {
      const url = mongo!.newDatabase()
      const first = await open.store(url)
      await first.leading()
      const second = await open.store(url, { leaseMs: 1_200 })
      const { steps } = nextBatch()
      expect(await failureOf(applyAll(second, steps))).to.be.instanceOf(Unavailable)
      expect(await second.position('records')).to.equal(0)
      await applyAll(first, steps)
      expect(await second.position('records')).to.equal(steps[0]!.records.position)
      await first.close()
      await second.leading()
      await applyAll(second, steps)
    })

    it('passes on when its holder shows no sign of life', async () => {
      const url = mongo!.newDatabase()
      const { leases } = open.connection(url)
      const generation = generationOf(definitions)
      await leases.insertOne({ _id: generation, term: 7, beat: 3, held: true, holder: 'one that died' })
      const store = await open.store(url, { leaseMs: 300 })
      await store.leading()
      expect(await leases.findOne({ _id: generation })).to.include({ term: 8, held: true })
    })

    it('is taken back at once by a holder that had lost sight of the server, and by no other', async () => {
      const { leases } = open.connection(mongo!.newDatabase())
      await leases.insertOne({ _id: 'records', term: 7, beat: 3, held: true, holder: 'the same' })
      const seek = (holder: string) =>
        seekLease({
          leases,
          ready: async () => {},
          id: 'records',
          holder,
          leaseMs: 600_000,
          onTaken: () => {},
          onTrouble: () => {},
        })
      const [other, same] = [seek('another'), seek('the same')]
      expect(await same.held()).to.equal(8)
      expect(await failureOf(other.held(50))).to.be.instanceOf(Unavailable)
      await Promise.all([other.close(), same.close()])
    })

    /** A holder whose process was asleep: another has the lease, and it does not know. */
    const overtaken = async (): Promise<{
      asleep: MongoProjectionStore
      awake: MongoProjectionStore
      url: string
    }> => {
      const url = mongo!.newDatabase()
      const asleep = await open.store(url, { leaseMs: 600_000 })
      await asleep.leading()
      const { leases } = open.connection(url)
      await leases.updateOne({ _id: generationOf(definitions) }, { $set: { held: false } })
      const awake = await open.store(url)
      await awake.leading()
      return { asleep, awake, url }
    }

    it('fences: a holder that lost it without knowing moves no position', async () => {
      const { asleep, awake } = await overtaken()
      const time = timeline()
      const [one, other] = [nextBatch(time), nextBatch(time)]
      await applyAll(awake, one.steps)
      expect(await failureOf(applyAll(asleep, other.steps))).to.be.instanceOf(Unavailable)
      expect(await awake.position('records')).to.equal(one.steps[0]!.records.position)
      await applyAll(awake, other.steps)
      expect(await awake.position('records')).to.equal(other.steps[0]!.records.position)
    })

    it('fences: what it has read and another has changed since is not overwritten', async () => {
      const { awake, url } = await overtaken()
      const connection = open.connection(url)
      await connection.ready()
      const { story, key, steps } = nextBatch()
      await applyAll(awake, steps)
      story.change(key, { Name: 'Earlier' })
      const earlier = story.untold()
      const operations = earlier[0]!.records.operations.map((operation) => ({
        position: earlier[0]!.records.position,
        operation,
      }))
      const late = await changesOf({ connection, definitions, operations })
      story.change(key, { Name: 'Later' })
      await applyAll(awake, [...earlier, ...story.untold()])
      expect(await writeChanges({ connection, changes: late.changed, onTrouble: () => {} })).to.equal(false)
      const stored = await connection.records('tenant').findOne({ _id: documentId(story.company, key) })
      expect(stored?.json).to.equal(JSON.stringify(story.served(key)))
      expect(stored?.version).to.equal(3)
    })

    it('may come back to a process that lost it', async () => {
      const url = mongo!.newDatabase()
      const first = await open.store(url, { leaseMs: 600 })
      await first.leading()
      const { generation, leases, positions } = open.connection(url)
      // Someone takes the lease, begins, and dies at once.
      const lease = { term: 50, beat: 0, held: true, holder: 'someone' }
      await leases.updateOne({ _id: generation }, { $set: lease })
      await positions.updateOne({ _id: generation }, { $set: { term: 50 } })
      const { steps } = nextBatch()
      for (;;) {
        const failure = await failureOf(applyAll(first, steps))
        if (!failure) break
        expect(failure).to.be.instanceOf(Unavailable)
      }
      expect(await first.position('records')).to.equal(steps[0]!.records.position)
      expect((await leases.findOne())?.term).to.equal(51)
    })
  })

  describe('what a process left unfinished when it died', () => {
    const operationsOf = (steps: readonly TwoSteps[]) =>
      steps.flatMap(({ records: { position, operations } }) =>
        operations.map((operation) => ({ position, operation })),
      )
    /** Writes records as a process does that dies before it comes to the checkpoint. */
    const writeOnly = async (connection: Connection, steps: readonly TwoSteps[]) => {
      const { changed } = await changesOf({ connection, definitions, operations: operationsOf(steps) })
      expect(await writeChanges({ connection, changes: changed, onTrouble: () => {} })).to.equal(true)
    }

    it('is not undone by the next, which applies it again in other pieces', async () => {
      const url = mongo!.newDatabase()
      const store = await open.store(url)
      const readModels = await open.readModels(url)
      const story = tale({ definitions, time: timeline() })
      const key = story.create('contract', { Duration: 1 })
      for (const Duration of [2, 3, 4]) story.change(key, { Duration })
      const steps = story.untold()
      await store.leading()
      const connection = open.connection(url)
      await connection.ready()
      await writeOnly(connection, steps)
      const written = { key, version: 4, json: JSON.stringify(story.served(key)) }
      for (const step of steps) {
        await applyAll(store, [step])
        expect(await readModels.get(story.company, 'contract', key)).to.deep.equal(written)
      }
      expect((await ask({ readModels, definitions, company: story.company }, 'contract')).total).to.equal(1)
    })

    it('is taken up at its start when it is a rename that others do not show yet', async () => {
      const url = mongo!.newDatabase()
      const first = await open.store(url)
      const story = tale({ definitions, time: timeline() })
      const tenant = story.create('tenant', { Name: 'Before' })
      const contract = story.create('contract', { Tenant: tenant })
      await applyAll(first, story.untold())
      await first.close()
      const connection = open.connection(url)
      await connection.ready()
      story.change(tenant, { Name: 'After' })
      const steps = story.untold()
      await writeOnly(connection, steps)
      const { company } = story
      const { position } = steps[0]!.records
      const _id = documentId(company, tenant)
      await connection.fanOuts.insertOne({ _id, company, object: 'tenant', key: tenant, position })
      const second = await open.store(url)
      await second.settled()
      const readModels = await open.readModels(url)
      const found = await ask({ readModels, definitions, company }, 'contract', { search: 'after' })
      expect(found.records.map(({ json }) => json)).to.deep.equal([JSON.stringify(story.served(contract))])
      expect(await connection.fanOuts.countDocuments()).to.equal(0)
    })
  })

  describe('other definitions', () => {
    const changed: Definitions = new Map([...definitions, ['unit', withField('unit')]])

    it('have read models of their own, beside those that are there', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      await old.apply([{ projection: 'records', steps: [] }], 30)
      const next = await open.store(url, { definitions: changed })
      await next.leading()
      expect(await next.position('records')).to.equal(0)
      expect(await old.position('records')).to.equal(30)
    })

    it('remove the old ones once nobody writes those and the new ones have come as far', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      const story = tale({ definitions, time: timeline() })
      story.create('tenant', { Name: 'Moving' })
      const steps = story.untold()
      await applyAll(old, steps)
      await old.close()
      const next = await open.store(url, { definitions: changed })
      await next.leading()
      const before = open.connection(url)
      await before.ready()
      const connection = open.connection(url, changed)
      await connection.ready()
      const others = otherGenerations(connection)
      const { position } = steps[0]!.records
      await others.sweep(position - 1)
      await others.sweep(position - 1)
      expect(await before.records('tenant').countDocuments()).to.equal(1)
      await applyAll(next, steps)
      await others.sweep(position)
      const names = (await connection.database.listCollections().toArray()).map(({ name }) => name)
      const isOfUnits = (name: string) => name.startsWith('records_unit_')
      expect(names.filter(isOfUnits)).to.deep.equal([connection.records('unit').collectionName])
      expect(names).not.to.include(`fanouts_${before.generation}`)
      expect(await connection.records('tenant').countDocuments()).to.equal(1)
      expect(await before.positions.findOne({ _id: before.generation })).to.equal(null)
    })

    it('take over the read models of objects that did not change, and build only the others', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      const story = tale({ definitions: changed, time: timeline() })
      const tenant = story.create('tenant', { Name: 'Staying' })
      const unit = story.create('unit', { Number: '7', Added: 'new' })
      const contract = story.create('contract', { Tenant: tenant, Unit: unit })
      const steps = story.untold()
      await applyAll(old, steps)
      await old.settled()
      const before = open.connection(url)
      await before.ready()
      const kept = await before.records('contract').findOne()
      const next = await open.store(url, { definitions: changed })
      await next.leading()
      const after = open.connection(url, changed)
      await after.ready()
      const nameIn = (connection: Connection, object: string) => connection.records(object).collectionName
      for (const object of definitions.keys())
        expect(nameIn(after, object) === nameIn(before, object), object).to.equal(object !== 'unit')
      expect(await next.position('records')).to.equal(0)
      await applyAll(next, steps, 1)
      const end = steps.at(-1)!.records.position
      expect(await next.position('search')).to.equal(end)
      const stored = await after.records('unit').findOne({ _id: documentId(story.company, unit) })
      expect(stored?.json).to.equal(JSON.stringify(story.served(unit)))
      // The records that were taken over are not written again.
      expect(await after.records('contract').findOne()).to.deep.equal(kept)
      // Both go on with what they share.
      story.change(contract, { Duration: 9 })
      const more = story.untold()
      await applyAll(next, more)
      await applyAll(old, more)
      const changedOnce = await before.records('contract').findOne()
      expect(changedOnce?.json).to.equal(JSON.stringify(story.served(contract)))
      expect(changedOnce?.version).to.equal(2)
    })

    it('do not show in what they took over what was called so before', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      const story = tale({ definitions, time: timeline() })
      const unit = story.create('unit', { Number: 'first' })
      const contract = story.create('contract', { Unit: unit })
      story.change(unit, { Number: 'second' })
      story.change(unit, { Number: 'third' })
      const steps = story.untold()
      await applyAll(old, steps)
      await old.settled()
      const connection = open.connection(url)
      await connection.ready()
      const shown = async () => (await connection.records('contract').findOne())?.json
      const third = JSON.stringify(story.served(contract))
      // A fan-out that the old generation left undone is not done before the new one knows the name.
      const left = { company: story.company, object: 'unit', key: unit, position: 4 }
      await connection.fanOuts.insertOne({ _id: documentId(story.company, unit), ...left })
      const next = await open.store(url, { definitions: changed })
      await next.leading()
      for (const step of steps) {
        await applyAll(next, [step])
        expect(await shown()).to.equal(third)
      }
      await next.settled()
      expect(await shown()).to.equal(third)
      story.change(unit, { Number: 'fourth' })
      await applyAll(next, story.untold())
      await next.settled()
      expect(await shown()).to.equal(JSON.stringify(story.served(contract)))
    })

    it('leave the old ones alone as long as someone reads them, and who reads what is not there is told so', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      const story = tale({ definitions, time: timeline() })
      const unit = story.create('unit', { Number: '7' })
      const steps = story.untold()
      await applyAll(old, steps)
      await old.close()
      const next = await open.store(url, { definitions: changed })
      await applyAll(next, steps)
      const before = open.connection(url)
      await before.ready()
      const { readers, generation } = before
      await readers.insertOne({ _id: 'an old api process', generation, beat: 1 })
      const connection = open.connection(url, changed)
      const others = otherGenerations(connection)
      const { position } = steps[0]!.records
      const id = documentId(story.company, unit)
      for (let round = 0; round < 3; round++) {
        await others.sweep(position)
        await readers.updateOne({ _id: 'an old api process' }, { $inc: { beat: 1 } })
        expect(await before.records('unit').findOne({ _id: id })).to.include({ live: true })
      }
      await others.sweep(position)
      await others.sweep(position)
      expect(await before.records('unit').findOne({ _id: id })).to.equal(null)
      expect(await readers.countDocuments()).to.equal(0)
      const readModels = await open.readModels(url)
      for (const work of [
        readModels.get(story.company, 'unit', unit),
        ask({ readModels, definitions, company: story.company }, 'unit'),
        readModels.status(),
      ])
        expect(await failureOf(work)).to.be.instanceOf(Unavailable)
    })

    it('are registered as read by every process that reads them, until it ends', async () => {
      const url = mongo!.newDatabase()
      await (await open.store(url)).leading()
      const { readers, generation } = open.connection(url)
      const readModels = await open.readModels(url)
      await eventually('it is registered', async () =>
        expect(await readers.findOne()).to.include({ generation, beat: 1 }),
      )
      await readModels.close()
      expect(await readers.countDocuments()).to.equal(0)
    })

    it('leave the old ones alone as long as someone writes them', async () => {
      const url = mongo!.newDatabase()
      const old = await open.store(url)
      await old.apply([{ projection: 'records', steps: [] }], 30)
      const connection = open.connection(url, changed)
      const others = otherGenerations(connection)
      for (let beat = 0; beat < 3; beat++) {
        await connection.leases.updateOne({ _id: generationOf(definitions) }, { $inc: { beat: 1 } })
        await others.sweep(30)
      }
      expect(await old.position('records')).to.equal(30)
    })
  })
})
