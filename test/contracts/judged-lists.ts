/**
 * Lists of some hundred records, judged by plain evaluation of each (`domain/filter/evaluate.ts`): which match, in
 * which order, how many.
 */
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Filter, Path } from '../../src/domain/filter/ast.ts'
import { parseFilter } from '../../src/domain/filter/parse.ts'
import type { Fields } from '../../src/domain/json.ts'
import { parseSort } from '../../src/domain/query/sort.ts'
import { searchWords } from '../../src/domain/search/search-words.ts'
import { compareBy, matches } from '../../src/domain/filter/evaluate.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { ask, type AskOf, type Asked } from './read-side/ask.ts'
import { FILTERS, SORTS } from './read-side/queries.ts'
import { filtersOn, tellMuch, TEXTS } from './read-side/random.ts'
import type { ReadSide } from './read-side/side.ts'
import { applyAll, tale, type Tale, type Timeline } from './read-side/tale.ts'

const CONTRACTS = 100

/** A query as a failing test shows it: paths by their text. */
function inShort(query: object): string {
  const withoutPaths = (name: string, value: unknown) => (name === 'path' ? (value as Path).text : value)
  return JSON.stringify(query, withoutPaths)
}

/** On a side that is open, with records of other companies in it. */
export function judgedListsContract(
  at: () => { readonly side: ReadSide; readonly time: Timeline },
  share = 1,
): void {
  let story: Tale
  let here: AskOf
  let contracts: Fields[]

  before(async function () {
    this.timeout(60_000)
    const { side, time } = at()
    story = tale({ definitions, time })
    here = { readModels: side.readModels, definitions, company: story.company }
    tellMuch(story, 11, CONTRACTS)
    contracts = story.live('contract')
    await applyAll(side.store, story.untold())
    // Another company with the same data, to be found by nobody.
    const other = tale({ definitions, time })
    tellMuch(other, 11, 10)
    await applyAll(side.store, other.untold())
    await side.store.settled()
  })

  const expected = (filter: Filter | undefined, sort: string) =>
    contracts
      .filter((record) => !filter || matches(filter, record, story.resolve))
      .sort(compareBy(parseSort(sort || 'Id', sampleDefinition('contract'), definitions), story.resolve))
      .map(({ Id }) => Id as string)

  const found = async (asked: Asked) => {
    const { records, total } = await ask(here, 'contract', asked)
    return { keys: records.map(({ key }) => key), total }
  }

  for (const sort of SORTS)
    it(`sorts by ${sort}`, async () => {
      const keys = expected(undefined, sort)
      expect(await found({ sort })).to.deep.equal({ keys, total: keys.length })
      const middle = await found({ sort, offset: 20, limit: 10 })
      expect(middle).to.deep.equal({ keys: keys.slice(20, 30), total: keys.length })
    })

  for (const filter of FILTERS)
    it(`finds ${JSON.stringify(filter)}`, async () => {
      const keys = expected(parseFilter(filter, sampleDefinition('contract'), definitions), '-Id')
      expect(await found({ filter })).to.deep.equal({ keys, total: keys.length })
    })

  it('finds by the Keys of records and lookups', async () => {
    const { Id, Tenant } = contracts.find((record) => record['Tenant'] !== null) as {
      Id: string
      Tenant: { Id: string }
    }
    expect((await found({ filter: `Id eq '${Id}'` })).keys).to.deep.equal([Id])
    for (const filter of [
      `Tenant eq '${Tenant.Id}'`,
      `Tenant/Id ne '${Tenant.Id}'`,
      `Tenant in ('${Tenant.Id}')`,
    ]) {
      const keys = expected(parseFilter(filter, sampleDefinition('contract'), definitions), '-Id')
      expect(await found({ filter }), filter).to.deep.equal({ keys, total: keys.length })
    }
  })

  it('finds what any filter says', async function () {
    this.timeout(180_000)
    const limits = fc.constantFrom(
      { offset: 0, limit: 1_000 },
      { offset: 0, limit: 5 },
      { offset: 3, limit: 4 },
    )
    const queries = fc
      .record({ filter: filtersOn(story), sort: fc.constantFrom('', ...SORTS), limits })
      .map((query) => Object.assign(query, { [fc.toStringMethod]: () => inShort(query) }))
    await fc.assert(
      fc.asyncProperty(queries, async ({ filter, sort, limits }) => {
        const keys = expected(filter, sort || '-Id')
        const { offset, limit } = limits
        expect(await found({ filter, sort, ...limits })).to.deep.equal({
          keys: keys.slice(offset, offset + limit),
          total: keys.length,
        })
      }),
      { seed: 5, numRuns: Math.ceil(100 * share) },
    )
  })

  const wordsIn = (record: Fields): string[] => {
    const { ContractNumber, Tenant, Notes } = record
    const texts = [ContractNumber, (Tenant as Fields | null)?.['Name'], Notes]
    return searchWords(texts.filter((text) => typeof text === 'string').join(' '))
  }
  const hasWords = (record: Fields, search: string) =>
    searchWords(search).every((word) => wordsIn(record).some((other) => other.startsWith(word)))

  it('finds what any words say', async function () {
    this.timeout(60_000)
    const pieces = TEXTS.flatMap((text) => searchWords(text)).flatMap((word) => [
      word,
      word.slice(0, 2),
      `${word}x`,
    ])
    // The last ones only what is no text says.
    const words = fc.constantFrom(...pieces, 'eur', 'true', '1200', '2')
    const searches = fc.oneof(
      fc.array(words, { minLength: 1, maxLength: 3 }),
      words.map((word) => [word]),
    )
    await fc.assert(
      fc.asyncProperty(searches, async (words) => {
        const search = words.join(' ')
        const keys = contracts.filter((record) => hasWords(record, search)).map(({ Id }) => Id as string)
        expect(await found({ search })).to.deep.equal({ keys: keys.reverse(), total: keys.length })
        const newest = { keys: keys.slice(0, 3), total: keys.length }
        expect(await found({ search, limit: 3 })).to.deep.equal(newest)
      }),
      { seed: 6, numRuns: Math.ceil(80 * share) },
    )
  })

  it('searches, filters, sorts and pages together', async () => {
    const filter = `Status ne 'Active' and not (Tenant/Email eq null)`
    const sort = '-MonthlyRent,Tenant/Name'
    const all = expected(parseFilter(filter, sampleDefinition('contract'), definitions), sort)
    const keys = all.filter((key) => hasWords(story.served(key), 'ann'))
    expect(keys).to.have.length.greaterThan(3)
    expect(await found({ filter, sort, search: 'ANN' })).to.deep.equal({ keys, total: keys.length })
    expect(await found({ filter, sort, search: 'ANN', offset: 2, limit: 1 })).to.deep.equal({
      keys: keys.slice(2, 3),
      total: keys.length,
    })
  })

  it('shows the full records of lookups', async () => {
    const { records } = await ask(here, 'contract', { sort: 'Id', expand: ['Tenant', 'Unit', 'Building'] })
    expect(records).to.have.length(contracts.length)
    for (const { key, json, expanded } of records) {
      expect(json).to.equal(JSON.stringify(story.served(key)))
      const shown: Record<string, string> = {}
      for (const name of ['Tenant', 'Unit', 'Building']) {
        const lookup = story.served(key)[name] as { Id: string } | null
        const full = lookup && story.resolve('', lookup.Id)
        if (full) shown[name] = JSON.stringify(full)
      }
      expect(expanded).to.deep.equal(shown)
    }
  })

  it('tells totals that were asked for before as they are after every change', async function () {
    this.timeout(60_000)
    const { side } = at()
    const searches = ['anna', 'straße', 'con', '100']
    const asked = FILTERS.filter((_, i) => i % 4 === 0)
    const check = async () => {
      contracts = story.live('contract')
      for (const filter of asked) {
        const parsed = parseFilter(filter, sampleDefinition('contract'), definitions)
        const expected = contracts.filter((record) => matches(parsed, record, story.resolve)).length
        expect((await ask(here, 'contract', { filter, limit: 0 })).total, filter).to.equal(expected)
      }
      // The same search once more, with one record less: an index is not asked twice for what is remembered.
      return await Promise.all(
        searches.map(async (search) => (await ask(here, 'contract', { search, limit: 0 })).total),
      )
    }
    const before = await check()
    const keys = contracts.map(({ Id }) => Id as string)
    for (let round = 0; round < 4; round++) {
      for (const [i, key] of keys.slice(round * 8, round * 8 + 8).entries()) {
        if (i % 4 === 3) story.remove(key)
        else if (i % 4 === 2) story.change(key, { Notes: TEXTS[(round * 8 + i) % TEXTS.length]! })
        else
          story.change(key, {
            Status: i % 2 ? 'Active' : 'Draft',
            MonthlyRent: { Amount: 1200 * i, Currency: 'SEK' },
          })
      }
      const [tenant] = story.live('tenant')
      if (round === 2)
        story.change(tenant!['Id'] as string, { Name: 'Anna Renamed', Email: 'anna@example.org' })
      if (round === 3)
        for (const key of keys.slice(0, 8))
          if (story.resolve('contract', key) === undefined) story.restore(key)
      await applyAll(side.store, story.untold(), 3)
      await side.store.settled()
      await check()
    }
    const words = (search: string) => ask(here, 'contract', { search, limit: 1_000 })
    for (const [i, search] of searches.entries()) {
      const { total, records } = await words(search)
      expect(total, `${search}, ${before[i]} before`).to.equal(records.length)
    }
  })
}
