/**
 * What every projection store must do: apply steps so that repeats change nothing, keep positions with what they cover,
 * and bring those up to date who show a renamed record. What it wrote is read through the read models of the same side.
 */
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { Fields } from '../../src/domain/json.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { ask, column, rows, type AskOf } from './read-side/ask.ts'
import { tellMuch } from './read-side/random.ts'
import type { OpenReadSide, ReadSide } from './read-side/side.ts'
import {
  applyAll,
  newCompany,
  nextKey,
  tale,
  timeline,
  type Tale,
  type Timeline,
  type TwoSteps,
} from './read-side/tale.ts'

export function projectionStoreContract(open: OpenReadSide): void {
  let side: ReadSide
  let time: Timeline
  let story: Tale
  let here: AskOf

  const newStory = () => {
    story = tale({ definitions, time })
    here = { readModels: side.readModels, definitions, company: story.company }
  }
  const tell = async () => {
    await applyAll(side.store, story.untold())
    await side.store.settled()
  }
  const get = async (key: string) => side.readModels.get(story.company, key.split('-')[0]!, key)

  before(async () => {
    side = await open(definitions)
    time = timeline()
  })
  after(() => side.discard())
  beforeEach(newStory)

  describe('what it writes', () => {
    const full: Fields = {
      ContractNumber: 'CON-2026-0001',
      MonthlyRent: { Amount: 1200.5, Currency: 'EUR' },
      StartDate: '2026-02-01',
      EndDate: '2027-01-31',
      Duration: 12,
      LeaseType: 'New',
      Status: 'Draft',
      Notes: 'Ünïcode "quoted" \\ back\n\u2028 \u{1f600}',
      AutoRenews: false,
      SignedAt: '2026-01-15T09:30:00Z',
      Terms: { $set: [1, [2, [null, { 'a.b': 1e21, '': 0.1 }]]], Tenant: { Id: 'not a lookup' } },
    }

    it('is the JSON that is served, with every type of field', async () => {
      const tenant = story.create('tenant', { Name: 'Anna "A." Berg' })
      const building = story.create('building', {})
      const key = story.create('contract', { ...full, Tenant: tenant, Building: building })
      await tell()
      expect(await get(key)).to.deep.equal({ key, version: 1, json: JSON.stringify(story.served(key)) })
      expect(story.served(key)['Tenant']).to.deep.equal({ Id: tenant, Name: 'Anna "A." Berg' })
      expect(story.served(key)['Building']).to.deep.equal({ Id: building, Name: null })
    })

    it('follows changes, and null clears', async () => {
      const tenants = ['Anna', 'Bob'].map((Name) => story.create('tenant', { Name }))
      const key = story.create('contract', { ...full, Tenant: tenants[0]! })
      story.change(key, { Tenant: tenants[1]!, Status: 'Active', Notes: null, MonthlyRent: null })
      await tell()
      story.change(key, { Duration: 24, Terms: null })
      await tell()
      expect(await get(key)).to.deep.equal({ key, version: 3, json: JSON.stringify(story.served(key)) })
      expect(story.served(key)).to.include({ Duration: 24, Notes: null, Terms: null })
    })

    it('hides what is removed, and brings it back as it was', async () => {
      const key = story.create('contract', full)
      story.remove(key)
      await tell()
      expect(await get(key)).to.equal(undefined)
      expect(await ask(here, 'contract')).to.deep.equal({ records: [], total: 0 })
      story.restore(key)
      await tell()
      expect(await get(key)).to.deep.equal({ key, version: 3, json: JSON.stringify(story.served(key)) })
      expect((await ask(here, 'contract')).total).to.equal(1)
    })

    it('is there after a restart', async () => {
      const key = story.create('contract', full)
      await tell()
      const position = await side.store.position('records')
      side = await side.reopen()
      here = { ...here, readModels: side.readModels }
      expect(await get(key)).to.deep.equal({ key, version: 1, json: JSON.stringify(story.served(key)) })
      expect(await side.store.position('records')).to.equal(position)
    })
  })

  describe('positions', () => {
    it('begin at 0', async () => {
      expect(await side.store.position('never-heard-of')).to.equal(0)
    })

    it('move together for the projections of one call, and for no other', async () => {
      const search = await side.store.position('search')
      const [first, second] = [time.next().position, time.next().position]
      await side.store.apply([{ projection: 'alone', steps: [] }], first)
      expect(await side.store.position('alone')).to.equal(first)
      expect(await side.store.position('search')).to.equal(search)
      await side.store.apply(
        ['alone', 'records', 'search'].map((projection) => ({ projection, steps: [] })),
        second,
      )
      for (const name of ['alone', 'records', 'search'])
        expect(await side.store.position(name)).to.equal(second)
    })

    it('never move back', async () => {
      const [earlier, later] = [time.next().position, time.next().position]
      await side.store.apply([{ projection: 'forward', steps: [] }], later)
      await side.store.apply([{ projection: 'forward', steps: [] }], earlier)
      expect(await side.store.position('forward')).to.equal(later)
    })

    it('move over no gap: who has gone back is to be followed from there', async () => {
      const [before, after, later] = [time.next().position, time.next().position, time.next().position]
      await side.store.apply([{ projection: 'gap', steps: [] }], before)
      const outcome = await side.store
        .apply([{ projection: 'gap', after, steps: [] }], later)
        .catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(Unavailable)
      expect(await side.store.position('gap')).to.equal(before)
      await side.store.apply([{ projection: 'gap', after: before, steps: [] }], later)
      expect(await side.store.position('gap')).to.equal(later)
    })

    it('stay, with everything else of the call, when a step cannot be understood', async () => {
      const key = story.create('contract', { Duration: 1 })
      const [good] = story.untold()
      const position = await side.store.position('records')
      const orphan = { company: story.company, object: 'contract', key: nextKey('contract') }
      const bad = {
        position: time.next().position,
        operations: [{ ...orphan, op: 'remove' as const, version: 2 }],
      }
      const outcome = await side.store
        .apply([{ projection: 'records', steps: [good!.records, bad] }], bad.position)
        .catch((error: unknown) => error)
      // Trouble of the store would be tried again for ever.
      expect(outcome).to.be.instanceOf(Error).and.not.instanceOf(Unavailable)
      expect(await side.store.position('records')).to.equal(position)
      expect(await get(key)).to.equal(undefined)
      await applyAll(side.store, [good!])
      expect(await get(key)).to.include({ version: 1 })
    })
  })

  describe('repeats', () => {
    const copyOf = async (of: AskOf) => {
      const objects = [...definitions.keys()]
      const lists = await Promise.all(objects.map((object) => ask(of, object, { sort: '-ModifiedAt' })))
      const found = await Promise.all(
        ['anna', 'stra', 'b', 'angs'].map((search) => ask(of, 'contract', { search, sort: 'Id' })),
      )
      return JSON.stringify([lists, found])
    }

    it('of steps change nothing', async () => {
      tellMuch(story, 3, 10)
      const steps = story.untold()
      await applyAll(side.store, steps)
      await side.store.settled()
      const before = await copyOf(here)
      await applyAll(side.store, steps)
      await applyAll(side.store, steps.slice(4, 9), 2)
      await side.store.settled()
      expect(await copyOf(here)).to.equal(before)
      expect(await side.store.position('records')).to.equal(steps.at(-1)!.records.position)
    })

    it('in a batch that overlaps the one before change nothing', async () => {
      const key = story.create('contract', { Duration: 1 })
      story.change(key, { Duration: 2 })
      const first = story.untold()
      await applyAll(side.store, first)
      story.change(key, { Status: 'Active' })
      await applyAll(side.store, [...first, ...story.untold()])
      expect(await get(key)).to.deep.equal({ key, version: 3, json: JSON.stringify(story.served(key)) })
    })

    it('and sizes of batches make no difference to a single byte', async function () {
      this.timeout(120_000)
      const company = newCompany()
      const moment = timeline()
      const long = tale({ definitions, time: moment, company })
      tellMuch(long, 4, 20)
      const [tenant] = long.live('tenant').map(({ Id }) => Id as string)
      for (const { Id } of long.live('contract').slice(0, 6))
        long.change(Id as string, { Tenant: tenant!, Duration: 7 })
      long.change(tenant!, { Name: 'Renamed' })
      for (const { Id } of long.live('contract').slice(3, 8)) long.remove(Id as string)
      long.change(tenant!, { Name: 'Renamed again', Email: null })
      const steps = long.untold()
      const twice = steps.flatMap((step, n) => (n % 10 === 9 ? [step, step] : [step]))

      const copies: string[] = []
      for (const [told, size] of [
        [steps, 1],
        [steps, 7],
        [twice, 7],
        [twice, 1_000],
      ] as [TwoSteps[], number][]) {
        const other = await open(definitions)
        try {
          await applyAll(other.store, told, size)
          await other.store.settled()
          copies.push(await copyOf({ readModels: other.readModels, definitions, company }))
        } finally {
          await other.discard()
        }
      }
      expect(copies[0]).to.include('Renamed again').and.not.include('"Renamed"')
      expect(new Set(copies).size).to.equal(1)
    })
  })

  describe('a search projection that is behind', () => {
    it('indexes records as they stand', async () => {
      const key = story.create('tenant', { Name: 'Early' })
      story.change(key, { Name: 'Late' })
      const gone = story.create('tenant', { Name: 'Late, too' })
      story.remove(gone)
      const steps = story.untold()
      const position = steps.at(-1)!.records.position
      await side.store.apply(
        [{ projection: 'records', steps: steps.map(({ records }) => records) }],
        position,
      )
      expect((await ask(here, 'tenant', { search: 'late' })).total).to.equal(0)
      expect(await side.store.position('search')).to.be.lessThan(position)
      await side.store.apply([{ projection: 'search', steps: steps.map(({ search }) => search) }], position)
      expect(await column(here, 'tenant', 'Id', { search: 'late' })).to.deep.equal([key])
      expect((await ask(here, 'tenant', { search: 'early' })).total).to.equal(0)
    })
  })

  describe('a renamed record', () => {
    let tenant: string
    let other: string
    let contracts: string[]

    beforeEach(async () => {
      tenant = story.create('tenant', { Name: 'Mallory' })
      other = story.create('tenant', { Name: 'Nora' })
      contracts = [tenant, other, tenant].map((Tenant) => story.create('contract', { Tenant }))
      await tell()
    })

    it('is shown by all who look it up, once that is settled', async () => {
      story.change(tenant, { Name: 'Zoë' })
      await tell()
      for (const key of contracts)
        expect(await get(key)).to.deep.equal({ key, version: 1, json: JSON.stringify(story.served(key)) })
      expect(
        await column(here, 'contract', 'Id', { filter: `Tenant/Name eq 'Zoë'`, sort: 'Id' }),
      ).to.deep.equal([contracts[0], contracts[2]])
      expect((await ask(here, 'contract', { filter: `contains(Tenant/Name, 'mall')` })).total).to.equal(0)
      expect(await column(here, 'contract', 'Id', { sort: 'Tenant' })).to.deep.equal([
        contracts[1],
        contracts[0],
        contracts[2],
      ])
      expect((await ask(here, 'contract', { search: 'zoe' })).total).to.equal(2)
      expect((await ask(here, 'contract', { search: 'mallory' })).total).to.equal(0)
    })

    it('is shown by the few who look it up as soon as that is applied: who renames it reads it', async () => {
      story.change(tenant, { Name: 'Zoë' })
      await applyAll(side.store, story.untold())
      for (const key of contracts)
        expect(await get(key)).to.include({ json: JSON.stringify(story.served(key)) })
      expect((await ask(here, 'contract', { filter: `Tenant/Name eq 'Zoë'` })).total).to.equal(2)
      expect((await ask(here, 'contract', { search: 'zoe' })).total).to.equal(2)
      expect((await ask(here, 'contract', { search: 'mallory' })).total).to.equal(0)
    })

    it('is found by its new name through what is changed with it, and only by that', async () => {
      story.change(tenant, { Name: 'Zoë' })
      story.change(contracts[0]!, { Duration: 24 })
      await tell()
      expect((await ask(here, 'contract', { search: 'zoe' })).total).to.equal(2)
      expect((await ask(here, 'contract', { search: 'mallory' })).total).to.equal(0)
    })

    it('is shown in the end by as many as there are', async () => {
      const many = Array.from({ length: 120 }, () => story.create('contract', { Tenant: tenant }))
      await tell()
      story.change(tenant, { Name: 'Zoë' })
      await tell()
      for (const key of many) expect(await get(key)).to.include({ json: JSON.stringify(story.served(key)) })
    })

    it('is shown by its last name when it is renamed again at once', async () => {
      story.change(tenant, { Name: 'First' })
      const first = story.untold()
      story.change(tenant, { Name: 'Second' })
      await applyAll(side.store, first)
      await tell()
      expect(await column(here, 'contract', 'Tenant', { filter: `Tenant eq '${tenant}'` })).to.deep.equal([
        { Id: tenant, Name: 'Second' },
        { Id: tenant, Name: 'Second' },
      ])
    })

    it('may lose its name', async () => {
      story.change(tenant, { Name: null })
      await tell()
      expect(
        await column(here, 'contract', 'Id', { filter: 'Tenant/Name eq null', sort: 'Id' }),
      ).to.deep.equal([contracts[0], contracts[2]])
      story.change(tenant, { Name: 'Found again' })
      await tell()
      expect((await ask(here, 'contract', { filter: 'Tenant/Name eq null' })).total).to.equal(0)
    })

    it('is shown anew by a record that is restored after it', async () => {
      story.remove(contracts[0]!)
      story.change(tenant, { Name: 'Meanwhile' })
      await tell()
      story.restore(contracts[0]!)
      await tell()
      expect(await get(contracts[0]!)).to.include({ json: JSON.stringify(story.served(contracts[0]!)) })
      expect(await column(here, 'contract', 'Id', { search: 'meanwhile', sort: 'Id' })).to.deep.equal([
        contracts[0],
        contracts[2],
      ])
    })

    it('is shown by others of its own object, and by two lookups of one record', async () => {
      const building = story.create('building', { Name: 'North' })
      const unit = story.create('unit', { Number: '1', Building: building })
      const key = story.create('contract', { Building: building, Unit: unit })
      const ward = story.create('tenant', { Name: 'Ward', Guarantor: tenant })
      await tell()
      story.change(building, { Name: 'South' })
      story.change(unit, { Number: '2' })
      story.change(tenant, { Name: 'Guardian' })
      await tell()
      for (const changed of [unit, key, ward])
        expect(await get(changed)).to.include({ json: JSON.stringify(story.served(changed)) })
    })

    it('is shown by more records than one step brings up to date', async () => {
      const building = story.create('building', { Name: 'Many units' })
      const units = Array.from({ length: 120 }, (_, n) =>
        story.create('unit', { Building: building, Number: `u${n}` }),
      )
      await tell()
      story.change(building, { Name: 'Renamed' })
      await tell()
      const shown = await rows(here, 'unit', { filter: `Building/Name eq 'Renamed'`, sort: 'Id' })
      expect(shown).to.deep.equal(units.map((key) => story.served(key)))
    })

    it('is still shown anew when the store was closed before it had come to that', async () => {
      story.change(tenant, { Name: 'After the restart' })
      await applyAll(side.store, story.untold())
      side = await side.reopen()
      here = { ...here, readModels: side.readModels }
      await side.store.settled()
      expect((await ask(here, 'contract', { filter: `Tenant/Name eq 'After the restart'` })).total).to.equal(
        2,
      )
    })
  })
}
