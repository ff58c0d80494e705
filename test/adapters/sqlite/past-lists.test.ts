/**
 * As-of lists against plain evaluation of what the events up to that moment had made of each record: for histories that
 * nobody thought of, at positions in any order, so that cuts are made, kept, extended and thrown away.
 */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import { writtenText } from '../../../src/domain/events/written-text.ts'
import { openEventLog, type EventLog } from '../../../src/adapters/sqlite/events/event-log.ts'
import { sqlitePastLists } from '../../../src/adapters/sqlite/past/past-lists.ts'
import type { PastData } from '../../../src/compose/threads/past.ts'
import { Invalid, NotYet, Unavailable } from '../../../src/domain/errors.ts'
import { compareBy, matches } from '../../../src/domain/filter/evaluate.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { searchWords } from '../../../src/domain/search/search-words.ts'
import type { PastLists } from '../../../src/ports/past-lists.ts'
import { listQuery, type Asked } from '../../contracts/read-side/ask.ts'
import { SORTS } from '../../contracts/read-side/queries.ts'
import { filtersOn, tellMuch, TEXTS } from '../../contracts/read-side/random.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'
import { newKey, toldEvents, type Past, type ToldEvents } from '../../support/told-events.ts'

const contract = sampleDefinition('contract')

describe('as-of lists on SQLite', function () {
  this.timeout(120_000)
  let folder: string
  let log: EventLog
  let lists: PastLists

  const open = (limits: Partial<PastData['limits']> = {}, waitMs = 60_000) => {
    const data: PastData = {
      journal: { path: join(folder, 'events.db') },
      folder: join(folder, 'past'),
      definitions: [...definitions.values()],
      limits: { most: 3, mostBytes: 1e9, mostEvents: 1e6, ...limits },
    }
    const url = new URL('../../../src/compose/threads/past.ts', import.meta.url)
    return sqlitePastLists({ start: () => new Worker(url, { workerData: data }), waitMs })
  }

  beforeEach(() => {
    folder = newFolder()
    log = openEventLog(join(folder, 'events.db'))
    lists = open()
  })
  afterEach(async () => {
    await lists.close()
    log.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Records, renames of what they show, changes, deletions and restorations, each time others. */
  const happen = (told: ToldEvents, seed: number) => {
    tellMuch({ ...told, ...told.at(0), untold: () => [], versionOf: () => 0 }, seed, 30)
    const move = fc.record({
      what: fc.constantFrom('rename', 'rename', 'change', 'change', 'relate', 'remove', 'restore'),
      which: fc.nat(),
      text: fc.constantFrom(...TEXTS),
    })
    const keys = [...new Set(told.events.map(({ stream }) => stream))]
    const of = (object: string) => keys.filter((key) => key.startsWith(`${object}-`))
    for (const { what, which, text } of fc.sample(move, { numRuns: 60, seed })) {
      const past = told.at(told.events.at(-1)!.position)
      const pick = (from: readonly string[]) => from[which % from.length]!
      const isLive = (key: string) => past.stateOf(key).status === 'live'
      const renamed = pick([...of('tenant'), ...of('building')].filter(isLive))
      const changed = pick(of('contract').filter(isLive))
      const gone = keys.filter((key) => !isLive(key))
      if (what === 'rename') told.change(renamed, { Name: text })
      if (what === 'change') told.change(changed, { Notes: text, Duration: which % 2 ? null : which % 40 })
      if (what === 'relate') told.change(changed, { Tenant: pick(of('tenant').filter(isLive)) })
      if (what === 'remove') told.remove(changed)
      if (what === 'restore' && gone.length > 0) told.restore(pick(gone))
    }
  }

  const hasWords = (record: Fields, search: string) => {
    // Of a lookup its name; what is no text was written while the field had another type.
    const textOf = (value: Json): string => {
      const text = value !== null && typeof value === 'object' ? (value as Fields)['Name'] : value
      return typeof text === 'string' ? text : ''
    }
    const words = contract.fields
      .filter(({ searchable }) => searchable)
      .flatMap(({ name }) => searchWords(textOf(record[name] ?? null)))
    return searchWords(search).every((word) => words.some((one) => one.startsWith(word)))
  }

  const expected = (past: Past, { filter, search, sort = '', offset = 0, limit = 1_000 }: Asked) => {
    const all = past
      .live('contract')
      .filter((record) => typeof filter !== 'object' || matches(filter, record, past.resolve))
      .filter((record) => search === undefined || hasWords(record, search))
      .sort(compareBy(sort ? parseSort(sort, contract, definitions) : [], past.resolve))
    const shown = all.slice(offset, offset + limit)
    return {
      total: all.length,
      records: shown.map((record) => [past.stateOf(record['Id'] as string).version, JSON.stringify(record)]),
    }
  }

  const found = async (told: ToldEvents, asked: Asked, position: number) => {
    const page = await lists.list(told.company, listQuery(definitions, 'contract', asked), position)
    return { total: page.total, records: page.records.map(({ version, json }) => [version, json]) }
  }

  for (const seed of [1, 2, 3])
    it(`are what the events up to then had made of the records (history ${seed})`, async () => {
      const told = toldEvents({ log, definitions })
      const other = toldEvents({ log, definitions })
      other.create('contract', { Notes: 'of another company' })
      happen(told, seed)
      other.create('contract', { Notes: 'of another company' })
      const positions = fc.sample(fc.constantFrom(...told.events.map(({ position }) => position)), {
        numRuns: 9,
        seed,
      })
      for (const position of [...positions, told.events.at(-1)!.position, positions[0]!]) {
        const past = told.at(position)
        const contracts = { ...told, ...past, untold: () => [], versionOf: () => 0 }
        const words = fc.constantFrom(...TEXTS.flatMap((text) => searchWords(text)))
        const query = fc.record(
          {
            filter: past.live('contract').length > 0 ? filtersOn(contracts) : fc.constant(undefined),
            search: words,
            sort: fc.constantFrom(...SORTS),
            offset: fc.constantFrom(0, 3),
            limit: fc.constantFrom(0, 2, 1_000),
          },
          { requiredKeys: [] },
        )
        for (const given of [{}, ...fc.sample(query, { numRuns: 12, seed: seed + position })]) {
          const asked = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ) as Asked
          const answer = await found(told, asked, position)
          expect(answer, `at ${position}: ${JSON.stringify(asked).slice(0, 500)}`).to.deep.equal(
            expected(past, asked),
          )
        }
      }
    })

  it('show the full records of lookups as they were', async () => {
    const told = toldEvents({ log, definitions })
    const tenant = told.create('tenant', { Name: 'Ann', Email: 'ann@example.org' })
    told.create('contract', { Tenant: tenant })
    const before = told.events.at(-1)!.position
    told.change(tenant, { Name: 'Bea', Email: 'bea@example.org' })
    const asked = listQuery(definitions, 'contract', { expand: ['Tenant'] })
    const expanded = async (position: number) =>
      (await lists.list(told.company, asked, position)).records.map((record) => record.expanded)
    const full = (position: number) => [{ Tenant: JSON.stringify(told.at(position).served(tenant)) }]
    expect(await expanded(before)).to.deep.equal(full(before))
    const after = told.events.at(-1)!.position
    expect(await expanded(after)).to.deep.equal(full(after))
    expect(await expanded(before - 1)).to.deep.equal([])
  })

  it('of one object are not made of those of another, nor of another company', async () => {
    const told = toldEvents({ log, definitions })
    const other = toldEvents({ log, definitions })
    const tenant = told.create('tenant', { Name: 'Ann' })
    for (let n = 0; n < 10; n++) {
      told.create('contract', { Tenant: tenant })
      other.create('contract', {})
    }
    told.change(tenant, { Name: 'Bea' })
    const total = async (of: ToldEvents, object: string) => {
      const page = await lists.list(of.company, listQuery(definitions, object, {}), log.head())
      return page.total
    }
    expect(await total(other, 'contract')).to.equal(10)
    expect(await total(told, 'tenant')).to.equal(1)
    expect(await total(told, 'contract'), 'after the same last event').to.equal(10)
    expect(await total(told, 'building'), 'of an object without events').to.equal(0)
    other.create('tenant', {})
    told.create('contract', {})
    expect(await total(told, 'tenant')).to.equal(1)
    expect(await total(told, 'contract'), 'a little later').to.equal(11)
    expect(await total(other, 'contract')).to.equal(10)
  })

  it('leave nothing out of thousands of events', async () => {
    const told = toldEvents({ log, definitions })
    const first = told.create('contract', {})
    const { data, metadata, type } = told.events[0]!
    const many = 4_100
    // In one commit: an event each would take as many.
    log.append(
      Array.from({ length: many }, () => ({
        company: told.company,
        stream: streamOf(told.company, newKey('contract')),
        expected: 0,
        events: [{ id: randomUUID(), type, ...writtenText({ data, metadata }) }],
      })),
    )
    told.change(first, { Notes: 'last' })
    expect((await found(told, { limit: 1 }, log.head())).total).to.equal(many + 1)
  })

  it('answer many at once, of many moments', async () => {
    const told = toldEvents({ log, definitions })
    for (let n = 0; n < 12; n++) told.create('contract', { Notes: String(n) })
    const answers = await Promise.all(
      told.events.flatMap(({ position }) => [found(told, {}, position), found(told, { limit: 1 }, position)]),
    )
    expect(answers.map(({ total }) => total)).to.deep.equal(
      Array.from({ length: 24 }, (_, n) => Math.floor(n / 2) + 1),
    )
  })

  it('refuse to tell more events again than they are to', async () => {
    await lists.close()
    lists = open({ mostEvents: 3 })
    const told = toldEvents({ log, definitions })
    for (let n = 0; n < 4; n++) told.create('contract', {})
    expect((await found(told, {}, told.events[2]!.position)).total).to.equal(3)
    // The one event more is told to what is there already.
    expect((await found(told, {}, told.events[3]!.position)).total).to.equal(4)
    for (let n = 0; n < 9; n++) told.create('contract', {})
    const far = await found(told, {}, told.events.at(-1)!.position).catch((error: unknown) => error)
    expect(far).to.be.instanceOf(Invalid)
    expect((far as Invalid).faults[0]).to.include({ Field: 'asOf' })
  })

  it('say when they are not ready yet, and are when they are asked again', async () => {
    await lists.close()
    lists = open({}, 0)
    const told = toldEvents({ log, definitions })
    told.create('contract', {})
    const { position } = told.events[0]!
    const failure = await found(told, {}, position).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(NotYet)
    await lists.close()
    lists = open()
    expect((await found(told, {}, position)).total).to.equal(1)
  })

  it('cannot be read where there is no room for scratch files, and can be once there is', async () => {
    const told = toldEvents({ log, definitions })
    told.create('contract', {})
    const { position } = told.events[0]!
    await lists.close()
    rmSync(join(folder, 'past'), { recursive: true, force: true })
    writeFileSync(join(folder, 'past'), 'in the way')
    lists = open()
    const failure = await found(told, {}, position).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Unavailable)
    rmSync(join(folder, 'past'))
    expect((await found(told, {}, position)).total).to.equal(1)
  })
})
