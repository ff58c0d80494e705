/**
 * Lists and records of somebody to whom not everything is shown, judged by a world in which what is hidden is not there:
 * whatever roles there are, a list is the list that this world has.
 */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { fieldOf } from '../../src/domain/definition.ts'
import { Invalid } from '../../src/domain/errors.ts'
import type { Filter } from '../../src/domain/filter/ast.ts'
import { compareBy, matches, type Resolve } from '../../src/domain/filter/evaluate.ts'
import { parseFilter } from '../../src/domain/filter/parse.ts'
import { hasWords, searchedText } from '../../src/domain/search/searched-text.ts'
import { searchWords } from '../../src/domain/search/search-words.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { parseSort } from '../../src/domain/query/sort.ts'
import { accessOf } from '../../src/rights/access.ts'
import { narrowRecords } from '../../src/rights/narrow-records.ts'
import type { RoleGrant } from '../../src/rights/role.ts'
import { viewOf } from '../../src/rights/view.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { listQuery } from './read-side/ask.ts'
import { FILTERS, SORTS } from './read-side/queries.ts'
import { filtersOn, tellMuch, TEXTS } from './read-side/random.ts'
import type { ReadSide } from './read-side/side.ts'
import { applyAll, tale, type Tale, type Timeline } from './read-side/tale.ts'

const ROWS: Readonly<Record<string, readonly string[]>> = {
  contract: FILTERS.filter((filter) => !['true', 'false'].includes(filter)),
  tenant: [
    'IsActive',
    'not IsActive',
    "contains(Name, 'a')",
    "Email ne 'bob+x@example.com'",
    'Guarantor eq null',
    "not contains(Guarantor/Name, 'b')",
    'Guarantor/IsActive',
    'Score gt 0 or Deposit gt 0',
  ],
  building: ["City eq null or contains(City, 'a')", 'Floors ge 0', 'Name ne null'],
  unit: ['Area gt 20', 'Building/Floors ge 0', 'not IsFurnished'],
}

/** Rules on one object: none, everything, some rows, some fields, or several of these. */
function rulesOn(object: string): fc.Arbitrary<RoleGrant[]> {
  const names = sampleDefinition(object).fields.map(({ name }) => name)
  const fields = fc.subarray(names, { minLength: Math.floor(names.length / 2) })
  const rule = fc.record(
    { Rows: fc.constantFrom(...ROWS[object]!), ReadFields: fields },
    { requiredKeys: [] },
  )
  return fc
    .oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.constant([{}]) },
      { weight: 6, arbitrary: fc.array(rule, { minLength: 1, maxLength: 3 }) },
    )
    .map((rules) => rules.map((one) => ({ ...one, Object: object, Actions: ['read'] })))
}

const rules = fc
  .tuple(...[...definitions.keys()].map((object) => rulesOn(object)))
  .map((lists) => lists.flat())

/** The world as those with these rules see it. */
function seenBy(grants: readonly RoleGrant[], { served, resolve }: Pick<Tale, 'served' | 'resolve'>) {
  const sharesOf = (object: string, record: Fields) =>
    grants.filter(
      ({ Object: on, Rows }) =>
        on === object &&
        (Rows === undefined ||
          matches(parseFilter(Rows, sampleDefinition(object), definitions), record, resolve)),
    )
  const isSeen = (object: string, record: Fields, field: string) =>
    ['Id', 'CreatedAt', 'ModifiedAt'].includes(field) ||
    sharesOf(object, record).some(({ ReadFields }) => ReadFields?.includes(field) ?? true)

  /** What is shown of a looked-up record that may be deleted: its name, unless only some records show theirs. */
  const nameOf = (object: string, key: string): Json => {
    const { display } = sampleDefinition(object)
    const naming = grants.filter(
      ({ Object: on, ReadFields }) => on === object && (ReadFields?.includes(display) ?? true),
    )
    const everywhere = naming.some(({ Rows }) => Rows === undefined)
    const live = resolve(object, key)
    const shown = everywhere || (live && isSeen(object, live, display))
    return shown ? (served(key)[display] ?? null) : null
  }
  const record = (key: string, whole: Fields): Fields | undefined => {
    const object = objectOfKey(key)!
    if (sharesOf(object, whole).length === 0) return undefined
    const shown = Object.entries(whole).filter(([name]) => isSeen(object, whole, name))
    return Object.fromEntries(
      shown.map(([name, value]) => {
        const { type, target = '' } = fieldOf(sampleDefinition(object), name)!
        if (type !== 'lookup' || !value) return [name, value]
        const { Id } = value as { Id: string }
        return [name, { Id, [sampleDefinition(target).display]: nameOf(target, Id) }]
      }),
    )
  }
  const seenResolve: Resolve = (object, key) => {
    const whole = resolve(object, key)
    return whole && record(key, whole)
  }
  return { record, resolve: seenResolve }
}

function fieldsIn(filter: Filter): string[] {
  if ('terms' in filter) return filter.terms.flatMap(fieldsIn)
  return filter.op === 'constant' ? [] : [filter.path.hops[0]?.lookup.name ?? filter.path.field.name]
}

/** On a side that is open, with records of other companies in it. */
export function narrowedListsContract(
  at: () => { readonly side: ReadSide; readonly time: Timeline },
  share = 1,
): void {
  let story: Tale
  let contracts: Fields[]

  before(async function () {
    this.timeout(60_000)
    const { side, time } = at()
    story = tale({ definitions, time })
    tellMuch(story, 23, 60)
    contracts = story.live('contract')
    await applyAll(side.store, story.untold())
    await side.store.settled()
  })

  const of = (grants: RoleGrant[]) => {
    const access = accessOf([{ Name: 'some', Grants: grants }], definitions)
    const view = viewOf(access, definitions)
    return { view, company: story.company, readModels: at().side.readModels, definitions }
  }

  it('are those of the world that is shown, in records, order, totals, names and expansions', async function () {
    this.timeout(180_000)
    const queries = fc.record({
      grants: rules,
      filter: fc.option(filtersOn(story), { nil: undefined }),
      sort: fc.constantFrom('', '', ...SORTS),
      expand: fc.subarray(['Tenant', 'Unit', 'Building']),
    })
    let [lists, refused, records] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(queries, async ({ grants, filter, sort, expand }) => {
        const narrowing = of(grants)
        const world = seenBy(grants, story)
        let query
        try {
          query = narrowing.view.query(
            listQuery(definitions, 'contract', { ...(filter && { filter }), sort, expand }),
          )
        } catch (error) {
          expect(error).to.be.instanceOf(Invalid)
          refused++
          return
        }
        const order = compareBy(
          parseSort(sort || '-Id', sampleDefinition('contract'), definitions),
          world.resolve,
        )
        const used = [
          ...(filter ? fieldsIn(filter) : []),
          ...query.sort.map(({ path }) => path.hops[0]?.lookup.name ?? path.field.name),
        ]
        const expected = contracts
          .map((whole) => world.record(whole['Id'] as string, whole))
          .filter((record) => record !== undefined)
          .filter((record) => used.every((name) => name in record))
          .filter((record) => !filter || matches(filter, record, world.resolve))
          .sort(order)
          .map((record) => ({
            ...record,
            ...Object.fromEntries(
              expand.flatMap((name) => {
                const { Id } = (record[name] ?? {}) as { Id?: string }
                const full = Id && world.resolve(fieldOf(sampleDefinition('contract'), name)!.target!, Id)
                return full ? [[name, full]] : []
              }),
            ),
          }))
        const page = await narrowing.readModels.list(story.company, query)
        expect(page.total).to.equal(expected.length)
        expect(await narrowRecords(narrowing, 'contract', page.records)).to.deep.equal(expected)
        lists++
        records += page.total
      }),
      { seed: 77, numRuns: Math.ceil(200 * share) },
    )
    expect(lists).to.be.greaterThan(100 * share)
    expect(refused).to.be.greaterThan(5 * share)
    expect(records).to.be.greaterThan(300 * share)
  })

  it('are searched only in what is shown', async function () {
    this.timeout(60_000)
    const pieces = TEXTS.flatMap((text) => searchWords(text)).flatMap((word) => [word, word.slice(0, 2)])
    const queries = fc.record({
      grants: rules,
      words: fc.uniqueArray(fc.constantFrom(...pieces), { minLength: 1, maxLength: 2 }),
    })
    let found = 0
    await fc.assert(
      fc.asyncProperty(queries, async ({ grants, words }) => {
        const narrowing = of(grants)
        const world = seenBy(grants, story)
        const query = narrowing.view.query({ ...listQuery(definitions, 'contract'), words })
        const { total, records } = await narrowing.readModels.list(story.company, query)
        expect(records).to.have.length(total)
        const everywhere = query.wordsIn ?? ['ContractNumber', 'Tenant', 'Notes']
        const textOf = (record: Fields) => searchedText(sampleDefinition('contract'), record, everywhere)
        const expected = contracts
          .map((whole) => world.record(whole['Id'] as string, whole))
          .filter((record) => record !== undefined)
          .filter((record) => hasWords(textOf(record), words))
          .map(({ Id }) => Id as string)
        expect(records.map(({ key }) => key)).to.deep.equal(expected.reverse())
        found += total
      }),
      { seed: 78, numRuns: Math.ceil(150 * share) },
    )
    expect(found).to.be.greaterThan(100 * share)
  })
}
