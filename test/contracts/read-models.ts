/** What every read model must answer: whole records of one company and no other's, in the order and number asked for. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { farListsContract } from './far-lists.ts'
import { judgedListsContract } from './judged-lists.ts'
import { narrowedListsContract } from './narrowed-lists.ts'
import { ask, column, rows, type AskOf, type Asked } from './read-side/ask.ts'
import { tellMuch } from './read-side/random.ts'
import type { OpenReadSide, ReadSide } from './read-side/side.ts'
import { applyAll, tale, timeline, type Tale, type Timeline } from './read-side/tale.ts'
import { unlike } from '../support/unlike.ts'

export function readModelsContract(open: OpenReadSide, share = 1): void {
  let side: ReadSide
  let time: Timeline
  let story: Tale
  let here: AskOf

  const newStory = () => {
    story = tale({ definitions, time })
    here = { readModels: side.readModels, definitions, company: story.company }
  }
  const tell = async (of = story) => {
    await applyAll(side.store, of.untold())
    await side.store.settled()
  }

  before(async () => {
    side = await open(definitions)
    time = timeline()
  })
  after(() => side.discard())

  describe('one company', () => {
    it('sees nothing of another', async () => {
      newStory()
      const other = tale({ definitions, time })
      const theirs = { readModels: side.readModels, definitions, company: other.company }
      const tenant = story.create('tenant', { Name: 'Canary', Email: 'canary@example.org' })
      const contract = story.create('contract', { Tenant: tenant, Notes: 'canary' })
      await tell()
      // Keys of the first company in records of the second: the write side refuses them, and yet.
      const foreign = other.create('contract', { Tenant: tenant, Notes: 'theirs' })
      await tell(other)
      story.change(tenant, { Name: 'Canary bird' })
      await tell()

      const get = (company: string, object: string, key: string) => side.readModels.get(company, object, key)
      expect(await get(other.company, 'tenant', tenant)).to.equal(undefined)
      expect(await get(other.company, 'contract', contract)).to.equal(undefined)
      expect(await ask(theirs, 'tenant')).to.deep.equal({ records: [], total: 0 })
      expect((await ask(theirs, 'contract', { search: 'canary' })).total).to.equal(0)
      expect((await ask(theirs, 'contract', { filter: `contains(Tenant/Name, 'canary')` })).total).to.equal(0)
      expect((await ask(theirs, 'contract', { filter: `Tenant/Email ne null` })).total).to.equal(0)
      expect((await ask(here, 'contract', { search: 'theirs' })).total).to.equal(0)
      const page = await ask(theirs, 'contract', { expand: ['Tenant'], sort: 'Tenant/Email' })
      expect(page).to.deep.equal({
        total: 1,
        records: [{ key: foreign, version: 1, json: JSON.stringify(other.served(foreign)), expanded: {} }],
      })
      expect(other.served(foreign)['Tenant']).to.deep.equal({ Id: tenant, Name: null })
    })

    it('gets the same for a record that is foreign, deleted or was never there', async () => {
      newStory()
      const gone = story.create('tenant', { Name: 'Gone' })
      story.remove(gone)
      await tell()
      for (const key of [gone, unlike(gone), 'tenant-', '', `${story.company}/${gone}`, '$where'])
        expect(await side.readModels.get(story.company, 'tenant', key), key).to.equal(undefined)
    })

    it('of which nothing is known has empty lists', async () => {
      newStory()
      expect(await ask(here, 'contract')).to.deep.equal({ records: [], total: 0 })
      expect(
        await ask(here, 'contract', { filter: `Tenant/Email eq 'x'`, search: 'x', sort: 'Tenant/Email' }),
      ).to.deep.equal({ records: [], total: 0 })
    })
  })

  describe('a list', () => {
    const keys: string[] = []

    before(async () => {
      newStory()
      for (const [Duration, Status] of [
        [12, 'Draft'],
        [undefined, 'Active'],
        [6, 'Draft'],
        [12, 'Active'],
        [undefined, 'Draft'],
      ] as const)
        keys.push(story.create('contract', { Status, ...(Duration && { Duration }) }))
      await tell()
    })

    const order = async (sort: string) =>
      (await column(here, 'contract', 'Id', { sort })).map((key) => keys.indexOf(key as string) + 1)

    it('shows the newest first', async () => expect(await order('')).to.deep.equal([5, 4, 3, 2, 1]))
    it('puts records without a value first, and equals in the order of creation', async () =>
      expect(await order('Duration')).to.deep.equal([2, 5, 3, 1, 4]))
    it('is exactly the other way round when it descends', async () =>
      expect(await order('-Duration')).to.deep.equal([4, 1, 3, 5, 2]))
    it('takes further sort keys where the first are equal', async () =>
      expect(await order('Status,-Duration')).to.deep.equal([4, 2, 1, 3, 5]))
    it('goes by the first sort key alone to order what is left equal', async () =>
      expect(await order('-Status,Duration')).to.deep.equal([5, 3, 1, 2, 4]))

    it('has pages that together are the whole', async () => {
      const pages = []
      for (let offset = 0; offset < 6; offset += 2) {
        const page = await ask(here, 'contract', { sort: 'Duration', offset, limit: 2 })
        expect(page.total).to.equal(5)
        pages.push(...page.records.map(({ key }) => keys.indexOf(key) + 1))
      }
      expect(pages).to.deep.equal([2, 5, 3, 1, 4])
    })

    it('is empty past the end, and tells the total all the same', async () => {
      expect(await ask(here, 'contract', { offset: 5, limit: 25 })).to.deep.equal({ records: [], total: 5 })
      expect(await ask(here, 'contract', { offset: 1e9, limit: 25 })).to.deep.equal({ records: [], total: 5 })
      expect(await ask(here, 'contract', { limit: 0 })).to.deep.equal({ records: [], total: 5 })
      expect(await ask(here, 'contract', { sort: 'Tenant/Email', offset: 5 })).to.deep.equal({
        records: [],
        total: 5,
      })
    })

    it('has records as they are served, with their versions', async () => {
      story.change(keys[0]!, { Notes: 'changed' })
      await tell()
      const { records } = await ask(here, 'contract', { sort: 'Id', limit: 2 })
      expect(records).to.deep.equal(
        [keys[0]!, keys[1]!].map((key, n) => ({
          key,
          version: 2 - n,
          json: JSON.stringify(story.served(key)),
        })),
      )
    })

    it('tells a new total as soon as something has changed', async () => {
      newStory()
      const tenant = story.create('tenant', { Name: 'Ann' })
      const asked: Asked[] = [{}, { filter: `Tenant/Name eq 'Ann'` }, { search: 'ann' }].map((asked) => ({
        ...asked,
        limit: 1,
      }))
      const totals = async () =>
        (await Promise.all(asked.map((asked) => ask(here, 'contract', asked)))).map(({ total }) => total)
      const first = story.create('contract', { Tenant: tenant })
      await tell()
      expect(await totals()).to.deep.equal([1, 1, 1])
      expect(await totals()).to.deep.equal([1, 1, 1])
      for (let n = 0; n < 2; n++) story.create('contract', { Tenant: tenant })
      await tell()
      expect(await totals()).to.deep.equal([3, 3, 3])
      story.remove(first)
      await tell()
      expect(await totals()).to.deep.equal([2, 2, 2])
      story.change(tenant, { Name: 'Bea' })
      await applyAll(side.store, story.untold())
      await totals() // of whatever is shown by now
      await side.store.settled()
      expect(await totals()).to.deep.equal([2, 0, 0])
    })
  })

  describe('among many records', () => judgedListsContract(() => ({ side, time }), share))
  describe('far back', () => farListsContract(() => ({ side, time })))
  describe('for those to whom not everything is shown', () =>
    narrowedListsContract(() => ({ side, time }), share))

  describe('search', () => {
    it('finds beginnings of words, all of them, in any searchable field, whatever their case and accents', async () => {
      newStory()
      const anna = story.create('tenant', { Name: 'Åsa Straßer', Email: 'asa@example.org', Phone: '555' })
      const contract = story.create('contract', {
        Tenant: anna,
        ContractNumber: 'CON-2026-0007',
        Notes: 'Süd, 2. OG',
      })
      await tell()
      const isFound = async (object: string, search: string) =>
        (await ask(here, object, { search })).total === 1
      for (const search of ['asa', 'ÅSA', 'str', 'strasser asa', 'example', 'org exam'])
        expect(await isFound('tenant', search), search).to.equal(true)
      for (const search of ['sa', 'asa bob', '555', 'trasser', 'asas'])
        expect(await isFound('tenant', search), search).to.equal(false)
      for (const search of ['2026-0007', 'sud og', 'asa con 2', 'strasser sued'.slice(0, 8)])
        expect(await isFound('contract', search), search).to.equal(true)
      for (const search of ['example', anna.slice(0, 10)])
        // not what a lookup shows
        expect(await isFound('contract', search), search).to.equal(false)
      story.change(contract, { Notes: 'Nord' })
      await tell()
      expect(await isFound('contract', 'sud')).to.equal(false)
      expect(await isFound('contract', 'nord asa')).to.equal(true)
      story.remove(contract)
      await tell()
      expect(await isFound('contract', 'nord')).to.equal(false)
      story.restore(contract)
      await tell()
      expect(await isFound('contract', 'nord')).to.equal(true)
    })

    it('finds a record by the first 5,000 words of it', async () => {
      newStory()
      const words = Array.from({ length: 6_000 }, (_, n) => `w${n}x`)
      const long = story.create('contract', { ContractNumber: 'long', Notes: words.join(' ') })
      story.create('contract', { ContractNumber: 'short', Notes: 'w5999x' })
      await tell()
      const numbersOf = async (search: string) =>
        (await ask(here, 'contract', { search })).records.map(
          ({ json }) => (JSON.parse(json) as Fields)['ContractNumber'],
        )
      expect(await numbersOf('w4000x')).to.deep.equal(['long'])
      expect(await numbersOf('w5999x')).to.deep.equal(['short'])
      story.change(long, { Notes: words.reverse().join(' ') })
      await tell()
      expect(await numbersOf('w4000x w5999x')).to.deep.equal(['long'])
    })
  })

  describe('a lookup of a deleted record', () => {
    it('still shows what it showed, and leads no further', async () => {
      newStory()
      const tenant = story.create('tenant', { Name: 'Shown', Email: 'gone@example.org' })
      const contract = story.create('contract', { Tenant: tenant })
      const without = story.create('contract', {})
      story.remove(tenant)
      await tell()
      const [record] = (await ask(here, 'contract', { filter: `Tenant/Name eq 'Shown'`, expand: ['Tenant'] }))
        .records
      expect(record).to.deep.equal({
        key: contract,
        version: 1,
        json: JSON.stringify(story.served(contract)),
        expanded: {},
      })
      expect((await ask(here, 'contract', { filter: 'Tenant/Email ne null' })).total).to.equal(0)
      // No value for either: equal, so in the order of creation.
      expect(await column(here, 'contract', 'Id', { sort: 'Tenant/Email' })).to.deep.equal([
        contract,
        without,
      ])
      story.restore(tenant)
      await tell()
      const [whole] = (await ask(here, 'contract', { filter: 'Tenant/Email ne null', expand: ['Tenant'] }))
        .records
      expect(whole?.expanded).to.deep.equal({ Tenant: JSON.stringify(story.served(tenant)) })
    })
  })

  describe('reached', () => {
    const move = async (position: number) =>
      side.store.apply(
        ['records', 'search'].map((projection) => ({ projection, steps: [] })),
        position,
      )

    it('is true at once for what has been applied', async () => {
      const { position } = time.next()
      await move(position)
      expect(await side.readModels.reached(position, 10_000)).to.equal(true)
      expect(await side.readModels.reached(0, 0)).to.equal(true)
    })

    it('becomes true when it is applied', async () => {
      const [soon, later] = [time.next().position, time.next().position]
      const waiting = [later, soon, soon - 1].map((position) => side.readModels.reached(position, 15_000))
      await move(soon)
      expect(await Promise.all(waiting.slice(1))).to.deep.equal([true, true])
      await move(later)
      expect(await waiting[0]).to.equal(true)
    })

    it('is false when it takes longer than its bound', async () => {
      expect(await side.readModels.reached(time.last() + 1_000_000, 30)).to.equal(false)
      expect(await side.readModels.reached(time.last() + 1_000_000, 0)).to.equal(false)
    })

    it('waits for every projection', async () => {
      const { position } = time.next()
      await side.store.apply([{ projection: 'records', steps: [] }], position)
      expect(await side.readModels.reached(position, 50)).to.equal(false)
      await side.store.apply([{ projection: 'search', steps: [] }], position)
      expect(await side.readModels.reached(position, 10_000)).to.equal(true)
    })
  })

  describe('status', () => {
    it('names each projection with its position', async () => {
      const { position } = time.next()
      await side.store.apply([{ projection: 'records', steps: [] }], position)
      const search = await side.store.position('search')
      expect(await side.readModels.status()).to.have.deep.members([
        { name: 'records', position, state: 'live' },
        { name: 'search', position: search, state: 'live' },
      ])
      expect(search).to.be.lessThan(position)
    })
  })

  it('lists nothing but whole records while a batch is being applied', async () => {
    newStory()
    tellMuch(story, 12, 30)
    const told = applyAll(side.store, story.untold(), 10)
    const seen: Fields[] = []
    for (let n = 0; n < 5; n++) seen.push(...(await rows(here, 'contract')))
    await told
    await side.store.settled()
    for (const record of seen)
      expect(record).to.have.all.keys(Object.keys(story.served(record['Id'] as string)))
  })
}
