/** What every inbox does. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Arrival, Inbox, Settled } from '../../src/ports/inbox.ts'

/** @param open the same inbox again each time; others share it */
export function inboxContract(open: () => Promise<Inbox>): void {
  let inbox: Inbox
  let integration: string
  let company: string
  let base: number
  before(async () => (inbox = await open()))
  after(() => inbox.close())
  // Each test has moments of its own, so that what others left is not due in them.
  let began = 1_000_000
  beforeEach(() => {
    integration = `integration-${randomUUID()}`
    company = `company-${randomUUID()}`
    base = began += 10_000
  })
  afterEach(async () => {
    while ((await inbox.purge(Number.MAX_SAFE_INTEGER, 100)) > 0);
  })

  const arrival = (source: string, more: Partial<Arrival> = {}): Arrival => ({
    id: `${integration} ${source}`,
    company,
    integration,
    entry: 'events',
    source,
    payload: `sealed ${source}`,
    receivedAt: base,
    state: 'stored',
    ...more,
  })
  const taken = async (at = 0, limit = 100, except: readonly string[] = []) =>
    (await inbox.take({ now: base + at, until: base + at + 60, limit, except })).map(({ source }) => source)
  const settled = (source: string, more: Partial<Settled> = {}): Settled => ({
    id: `${integration} ${source}`,
    integration,
    state: 'applied',
    results: [],
    ...more,
  })
  const stateOf = async (source: string) => await inbox.get(company, integration, `${integration} ${source}`)

  it('keeps what arrives once, and counts how often it came', async () => {
    expect(await inbox.keep([arrival('a'), arrival('b')])).to.deep.equal([true, true])
    expect(await inbox.keep([arrival('a', { payload: 'other' }), arrival('c')])).to.deep.equal([false, true])
    const row = await stateOf('a')
    expect(row).to.include({ payload: 'sealed a', arrivals: 2, attempts: 0, state: 'stored', due: base })
    expect(row).to.include({ entry: 'events', receivedAt: base, reason: undefined, subject: undefined })
  })

  it('keeps one of what arrives many times at once', async () => {
    const kept = await Promise.all(Array.from({ length: 20 }, () => inbox.keep([arrival('a')])))
    expect(kept.flat().filter((isNew) => isNew)).to.have.length(1)
    expect((await stateOf('a'))!.arrivals).to.be.within(2, 20)
  })

  it('gives what is due to one taker, the longest due first, until his time is up', async () => {
    await inbox.keep([
      arrival('b', { receivedAt: base + 1 }),
      arrival('a'),
      arrival('c', { receivedAt: base + 2 }),
    ])
    expect(await taken(1, 1)).to.deep.equal(['a'])
    expect(await taken(1)).to.deep.equal(['b'])
    expect(await taken(1)).to.deep.equal([])
    const again = await taken(62)
    expect(again[0]).to.equal('c')
    expect(again.slice(1).sort()).to.deep.equal(['a', 'b'])
  })

  it('leaves out nothing when several take at the same time', async () => {
    await inbox.keep(Array.from({ length: 40 }, (_one, index) => arrival(`m${index}`)))
    const shares = await Promise.all([taken(), taken(), taken()])
    expect(new Set([...shares.flat(), ...(await taken())]).size).to.equal(40)
  })

  it('passes over integrations that are not to be applied', async () => {
    await inbox.keep([arrival('a')])
    expect(await taken(0, 10, [integration])).to.deep.equal([])
    expect(await taken(0, 10, ['integration-other'])).to.deep.equal(['a'])
  })

  it('knows what came of a row, and looks at it again when it said so', async () => {
    await inbox.keep([arrival('a'), arrival('b')])
    await taken()
    const results = [{ Record: 'payment-1', Did: 'created' }]
    await inbox.settle(
      [
        settled('a', { results, subject: 'payment 1' }),
        settled('b', { state: 'waiting', reason: 'no such record yet', due: base + 500 }),
      ],
      base,
    )
    expect(await stateOf('a')).to.deep.include({
      state: 'applied',
      results,
      subject: 'payment 1',
      attempts: 1,
    })
    expect((await stateOf('a'))!.due).to.equal(undefined)
    expect(await taken(499)).to.deep.equal([])
    expect(await taken(500)).to.deep.equal(['b'])
    await inbox.settle([settled('b', { state: 'waiting', due: base + 600, isUncounted: true })], base)
    expect(await stateOf('b')).to.include({ attempts: 1, state: 'waiting' })
  })

  it('wakes those that wait about the same subject, and no others', async () => {
    await inbox.keep([arrival('a'), arrival('b'), arrival('c'), arrival('d')])
    await taken()
    const later = { state: 'waiting', due: base + 5_000 } as const
    await inbox.settle(
      [
        settled('b', { ...later, subject: 'payment 1' }),
        settled('c', { ...later, subject: 'payment 2' }),
        settled('d', { state: 'ignored', subject: 'payment 1' }),
      ],
      base,
    )
    await inbox.settle([settled('a', { wakes: ['payment 1'] })], base + 10)
    expect(await taken(10)).to.deep.equal(['b'])
  })

  it('counts what is pending, up to a bound', async () => {
    await inbox.keep([arrival('a'), arrival('b'), arrival('c'), arrival('d', { state: 'quarantined' })])
    expect(await inbox.pending(integration, 10)).to.equal(3)
    expect(await inbox.pending(integration, 2)).to.equal(2)
    await inbox.settle([settled('a'), settled('b', { state: 'waiting', due: base + 1 })], base)
    expect(await inbox.pending(integration, 10)).to.equal(2)
    expect(await inbox.pending('integration-none', 10)).to.equal(0)
  })

  it('lists rows of the company, newest first, by state and in pages, without payloads', async () => {
    await inbox.keep(['a', 'b', 'c'].map((source, index) => arrival(source, { receivedAt: base + index })))
    await inbox.keep([arrival('q', { state: 'quarantined', reason: 'a bot', receivedAt: base + 9 })])
    const all = await inbox.list(company, integration, { offset: 0, limit: 2 })
    expect(all.total).to.equal(4)
    expect(all.rows.map(({ source }) => source)).to.deep.equal(['q', 'c'])
    expect(JSON.stringify(all.rows)).not.to.include('sealed')
    const stored = await inbox.list(company, integration, { state: 'stored', offset: 1, limit: 10 })
    expect(stored.total).to.equal(3)
    expect(stored.rows.map(({ source }) => source)).to.deep.equal(['b', 'a'])
    const late = await inbox.list(company, integration, { from: base + 2, offset: 0, limit: 10 })
    expect([late.total, late.rows.map(({ source }) => source)]).to.deep.equal([2, ['q', 'c']])
    expect((await inbox.list('company-other', integration, { offset: 0, limit: 9 })).total).to.equal(0)
    expect(await inbox.get('company-other', integration, `${integration} a`)).to.equal(undefined)
    expect(await taken(100)).not.to.include('q')
  })

  it('has rows looked at again, or sets them aside, when a person says so', async () => {
    await inbox.keep([arrival('a'), arrival('b', { receivedAt: base + 5 }), arrival('c')])
    await taken(10)
    await inbox.settle([settled('a', { state: 'rejected', reason: 'x' }), settled('b'), settled('c')], base)
    const now = base + 100
    const stored = { state: 'stored', now } as const
    const ids = [`${integration} a`]
    expect(await inbox.mark('company-other', integration, { ids }, stored)).to.equal(0)
    expect(await inbox.mark(company, integration, { ids }, stored)).to.equal(1)
    expect(await stateOf('a')).to.include({ state: 'stored', attempts: 0, due: now, reason: undefined })
    const span = { from: base + 1, to: base + 6, states: ['applied' as const] }
    expect(await inbox.mark(company, integration, span, stored)).to.equal(1)
    expect((await taken(100)).sort()).to.deep.equal(['a', 'b'])
    expect(await inbox.mark(company, integration, { ids }, { state: 'quarantined', now })).to.equal(1)
    expect(await taken(1_000)).not.to.include('a')
  })

  it('forgets what is old, some at a time', async () => {
    await inbox.keep(['a', 'b', 'c'].map((source, index) => arrival(source, { receivedAt: base + index })))
    expect(await inbox.purge(base + 2, 1)).to.equal(1)
    expect(await inbox.purge(base + 2, 10)).to.equal(1)
    expect(await inbox.purge(base + 2, 10)).to.equal(0)
    expect(await stateOf('a')).to.equal(undefined)
    expect(await stateOf('c')).not.to.equal(undefined)
  })
}

/** The part of the contract that a stand-in without atomic updates cannot show (docs/decisions/ferretdb-for-tests.md). */
export function racingInboxContract(open: () => Promise<Inbox>): void {
  it('gives each row to one of those that take at the same time', async () => {
    const inbox = await open()
    const row = { company: 'company-a', integration: `integration-${randomUUID()}`, entry: 'events' }
    const sources = Array.from({ length: 40 }, (_one, index) => `m${index}`)
    await inbox.keep(
      sources.map((source) => ({
        ...row,
        id: `${row.integration} ${source}`,
        source,
        payload: 'x',
        receivedAt: 1,
        state: 'stored' as const,
      })),
    )
    const take = () => inbox.take({ now: 1, until: 60, limit: 100, except: [] })
    const shares = [...(await Promise.all([take(), take(), take()])), await take()]
    expect(shares.flatMap((share) => share.map(({ source }) => source)).sort()).to.deep.equal(sources.sort())
    await inbox.close()
  })
}
