/**
 * The read side on MongoDB: against the server that `MONGODB_URL` names, else against FerretDB, which
 * `node test/engines/ferretdb/install.ts` brings. Without either these tests do not run, and say so.
 */
import { expect } from 'chai'
import type { Connection } from '../../../src/adapters/mongodb/connection.ts'
import { indexesOf } from '../../../src/adapters/mongodb/read-models/indexes.ts'
import { mongoProjectionStore } from '../../../src/adapters/mongodb/read-models/projection-store.ts'
import { mongoReadModels } from '../../../src/adapters/mongodb/read-models/read-models.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { Invalid, Unavailable } from '../../../src/domain/errors.ts'
import { readSideContract } from '../../contracts/read-side.ts'
import { ask } from '../../contracts/read-side/ask.ts'
import type { ReadSide } from '../../contracts/read-side/side.ts'
import { applyAll, tale, timeline } from '../../contracts/read-side/tale.ts'
import { failureOf, mongoOpeners } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { eventually } from '../../system/support/eventually.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../../support/sample-definitions.ts'
import { rounds } from '../../support/rounds.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the read side on MongoDB', mongo ? undefined : NOT_TESTED)

async function openReadSide(definitions: Definitions, url = mongo!.newDatabase()): Promise<ReadSide> {
  const readModels = await mongoReadModels({ url, definitions })
  const store = await mongoProjectionStore({ url, definitions })
  await store.leading()
  const close = async () => {
    await store.close()
    await readModels.close()
  }
  return {
    readModels,
    store,
    async reopen() {
      await close()
      return openReadSide(definitions, url)
    },
    discard: close,
  }
}

suite(`MongoDB (${mongo?.name ?? 'none'})`, () => {
  whileRunning(mongo!)

  // FerretDB reads whole collections for most questions.
  readSideContract((definitions) => openReadSide(definitions), rounds(0.15, 1))

  const open = mongoOpeners()
  afterEach(() => open.closeAll())

  describe('its indexes', () => {
    const indexesIn = async (connection: Connection, object: string) => {
      const indexes = await connection.records(object).listIndexes().toArray()
      return (indexes as { name: string; key: object }[]).filter(({ name }) => name !== '_id_')
    }

    it('are made at the start, company first, for order, words and every scalar field', async () => {
      const url = mongo!.newDatabase()
      await (await open.store(url)).leading()
      const connection = open.connection(url)
      await connection.ready()
      for (const [object, definition] of definitions) {
        const indexes = await indexesIn(connection, object)
        for (const { key } of indexes) expect(Object.keys(key).slice(0, 2)).to.deep.equal(['company', 'live'])
        expect(indexes.map(({ name }) => name)).to.have.members(
          indexesOf(definition, definitions).map(({ name }) => name),
        )
      }
      const third = (await indexesIn(connection, 'contract')).map(({ key }) => Object.keys(key)[2])
      expect(third).to.have.members([
        ...['n', 'words', 'values.Id', 'values.CreatedAt', 'values.ModifiedAt', 'folded.ContractNumber'],
        ...['values.Tenant.Id', 'folded.Tenant.Name', 'values.Building.Id', 'folded.Building.Name'],
        ...['values.Unit.Id', 'folded.Unit.Number', 'values.MonthlyRent.Amount', 'values.StartDate'],
        ...['values.EndDate', 'values.Duration', 'folded.LeaseType', 'folded.Status', 'values.AutoRenews'],
        'values.SignedAt',
      ])
    })

    it('are put right at the next start when someone changed them', async () => {
      const url = mongo!.newDatabase()
      const first = await open.store(url)
      await first.leading()
      const connection = open.connection(url)
      await connection.ready()
      const before = await indexesIn(connection, 'unit')
      const records = connection.records('unit')
      await records.dropIndex('daybook_words')
      await records.createIndex({ words: 1 }, { name: 'daybook_words' })
      await records.dropIndex('daybook_values.Area')
      await records.createIndex({ 'values.Gone': 1 }, { name: 'daybook_values.Gone' })
      await records.createIndex({ version: 1 }, { name: 'someone_elses' })
      await first.close()
      await (await open.store(url)).leading()
      const after = await indexesIn(connection, 'unit')
      const keysOf = (indexes: typeof after) => indexes.map(({ name, key }) => [name, key] as unknown)
      expect(keysOf(after)).to.have.deep.members([...keysOf(before), ['someone_elses', { version: 1 }]])
    })

    it('are no more than a collection can have, with lookups and unique fields first', () => {
      const wide = {
        ...sampleDefinition('unit'),
        fields: [
          ...Array.from({ length: 120 }, (_, n) => ({ name: `Text${n}`, type: 'text' as const })),
          ...sampleDefinition('unit').fields,
        ],
      }
      const names = indexesOf(wide, new Map([...definitions, ['unit', wide]])).map(({ name }) => name)
      expect(names).to.have.length(62)
      expect(names).to.include.members([
        'daybook_created',
        'daybook_values.Building.Id',
        'daybook_folded.Number',
      ])
    })
  })

  describe('the stamp by which totals are remembered', () => {
    it('grows with every batch, and again when a fan-out changes records without one', async () => {
      const url = mongo!.newDatabase()
      const store = await open.store(url)
      const { positions } = open.connection(url)
      const stamp = async () => (await positions.findOne())!.stamp
      const story = tale({ definitions, time: timeline() })
      const tenant = story.create('tenant', { Name: 'Ann' })
      // More than are brought up to date with the batch itself.
      for (let i = 0; i < 60; i++) story.create('contract', { Tenant: tenant })
      await applyAll(store, story.untold())
      await store.settled()
      const before = await stamp()
      story.change(tenant, { IsActive: true })
      await applyAll(store, story.untold())
      await store.settled()
      expect(await stamp()).to.equal(before + 1)
      story.change(tenant, { Name: 'Bea' })
      await applyAll(store, story.untold())
      await store.settled()
      expect(await stamp()).to.be.greaterThan(before + 2)
    })
  })

  describe('a query that takes too long', () => {
    it('is refused as too much to ask, unless the server is at fault', async function () {
      this.timeout(60_000)
      const url = mongo!.newDatabase()
      const store = await open.store(url)
      const story = tale({ definitions, time: timeline() })
      for (let n = 0; n < 30; n++) story.create('contract', { Notes: `${n} `.repeat(30_000) })
      await applyAll(store, story.untold(), 20)
      const asked = { filter: `contains(Notes, 'nowhere') or endswith(Notes, 'x')` }
      const failureOn = async (wellMs: number, what: { readonly filter?: string }, limitMs = 2) => {
        const readModels = await open.readModels(url, { limitMs, wellMs })
        return failureOf(ask({ readModels, definitions, company: story.company }, 'contract', what))
      }
      const failure = await failureOn(10_000, asked)
      expect(failure).to.be.instanceOf(Invalid)
      // A server that is slow for everybody, and a query that could not be smaller.
      expect(await failureOn(0, asked)).to.be.instanceOf(Unavailable)
      expect(await failureOn(10_000, {}, 0)).to.be.instanceOf(Unavailable)
      expect((failure as Invalid).faults).to.have.length(1)
      expect((failure as Invalid).faults[0]).to.include({ Field: 'filter' })
    })
  })

  describe('what projections publish of themselves', () => {
    it('is what every process answers for status, with the positions as they are', async () => {
      const url = mongo!.newDatabase()
      const store = await open.store(url)
      const readModels = await open.readModels(url)
      const error = { position: 12, message: 'an event that nobody understands' }
      await store.leading()
      store.publish([
        { name: 'records', position: 9, state: 'live' },
        { name: 'search', position: 9, state: 'parked', error },
      ])
      await store.apply([{ projection: 'records', steps: [] }], 30)
      await eventually('it is read', async () =>
        expect(await readModels.status()).to.deep.equal([
          { name: 'records', position: 30, state: 'live' },
          { name: 'search', position: 0, state: 'parked', error },
        ]),
      )
      store.publish([{ name: 'search', position: 30, state: 'live' }])
      await eventually('it is read', async () =>
        expect((await readModels.status())[1]).to.deep.equal({ name: 'search', position: 0, state: 'live' }),
      )
    })
  })
})
