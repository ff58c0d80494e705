/** What every outbox must do. Adapters run this; they never copy it. */
import { expect } from 'chai'
import { MOST_REPLAYS, type Attempt, type Message } from '../../src/ports/delivery-log.ts'
import type { Endpoint, Outbox, OutboxChange } from '../../src/ports/outbox.ts'
import { deliveryOf } from '../../src/webhooks/messages.ts'
import { COMPANY, endpointOf } from '../support/endpoints.ts'

export interface OutboxUnderTest {
  readonly outbox: Outbox
  /** Lets the outbox's time pass. */
  pass(ms: number): void
  /** Opens the same outbox again, as a process that starts does. */
  reopen(): Promise<Outbox>
  close(): Promise<void>
}

const AT = '2026-11-21T12:00:00.000Z'
const nothing = { underWay: new Set<string>(), records: new Set<string>() }
const every = { offset: 0, limit: 100 }

/** At this position, which has to be later than those before for the same endpoint. */
const put = (key: string, position: number, more: Partial<Endpoint> = {}): OutboxChange => ({
  op: 'endpoint',
  endpoint: endpointOf(key, { position, ...more }),
})
const message = (position: number, record = 'tenant-1', company = COMPANY): Message => ({
  id: `msg_${company}_${position}`,
  company,
  event: position % 2 ? 'tenant.updated' : 'tenant.created',
  record,
  position,
  body: `{"n":${position}}`,
})
const send = (of: Message, ...to: string[]): OutboxChange => ({
  op: 'send',
  message: of,
  deliveries: to.map((key) => deliveryOf(of, key, AT)),
})
const attempt = (status: number): Attempt => ({
  at: AT,
  durationMs: 5,
  url: 'https://a.example/',
  requestHeaders: { A: 'b' },
  status,
  replyHeaders: {},
  reply: 'ok',
})

export function outboxContract(open: () => Promise<OutboxUnderTest>): void {
  let under: OutboxUnderTest
  let outbox: Outbox
  beforeEach(async () => {
    under = await open()
    ;({ outbox } = under)
    await outbox.leading()
    await outbox.open()
  })
  afterEach(() => under.close())

  const due = async (key: string, limit = 100, more: Partial<typeof nothing> = {}) =>
    outbox.due(key, { limit, ...nothing, ...more })
  const positions = async (key: string) => (await due(key))?.due.map((one) => one.message.position)
  const settle = async (key: string, id: string, status: number, againInMs?: number) =>
    outbox.settle([{ id, endpoint: key, attempt: attempt(status), succeeded: status < 300, againInMs }])

  it('begins before the first event, and goes on where it was', async () => {
    expect(await outbox.position()).to.equal(0)
    await outbox.store([], 7)
    await outbox.open()
    expect(await outbox.position()).to.equal(7)
    const again = await under.reopen()
    await again.leading()
    await again.open()
    expect(await again.position()).to.equal(7)
  })

  it('keeps what is stored and its position, also for the process after', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    const again = await under.reopen()
    expect(await again.position()).to.equal(8)
    expect(await again.endpoints()).to.deep.equal([endpointOf('a', { position: 1 })])
    expect(await again.endpoint('a')).to.deep.equal(endpointOf('a', { position: 1 }))
    expect(await again.endpoint('b')).to.equal(undefined)
    const [first] = (await again.due('a', { limit: 5, ...nothing }))!.due
    expect(first).to.deep.include({ attempts: 0, message: message(8) })
  })

  it('has what is stored twice once, and moves no position back', async () => {
    const changes = [put('a', 1), send(message(8), 'a'), send(message(9), 'a')]
    await outbox.store(changes, 9)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 204)
    await outbox.store(changes, 9)
    await outbox.store([], 3)
    expect(await positions('a')).to.deep.equal([9])
    expect(await outbox.position()).to.equal(9)
  })

  it('sets no endpoint back to what it was before, and brings back none that is gone', async () => {
    await outbox.store([put('a', 8), put('b', 9)], 9)
    await outbox.store([put('a', 10, { url: 'https://new.example/' })], 10)
    await outbox.store([{ op: 'forget', key: 'b', position: 11 }], 11)
    await outbox.store([put('a', 8), put('b', 9)], 9)
    expect((await outbox.endpoint('a'))?.url).to.equal('https://new.example/')
    expect(await outbox.endpoint('b')).to.equal(undefined)
    expect((await outbox.endpoints()).map(({ key }) => key)).to.deep.equal(['a'])
    expect(await due('b')).to.equal(undefined)
  })

  it('tells those who wait for a position', async () => {
    const waiting = outbox.reached(12, 5_000)
    await outbox.store([], 12)
    expect(await waiting).to.equal(true)
    expect(await outbox.reached(13, 30)).to.equal(false)
  })

  it('gives what is due in the order of the events, so many as are asked for', async () => {
    await outbox.store([put('a', 1), put('b', 1)], 1)
    for (let n = 8; n < 20; n++) await outbox.store([send(message(n, `tenant-${n}`), 'a', 'b')], n)
    expect(await positions('a')).to.deep.equal(Array.from({ length: 12 }, (_, i) => i + 8))
    expect((await due('a', 3))!.due.map((one) => one.message.position)).to.deep.equal([8, 9, 10])
    expect(await due('c')).to.equal(undefined)
  })

  it('gives neither what is under way nor another of its record, nor two of one record at once', async () => {
    await outbox.store([put('a', 1)], 1)
    for (const [n, record] of [
      [8, 'tenant-1'],
      [9, 'tenant-2'],
      [10, 'tenant-1'],
      [11, 'tenant-3'],
    ] as const)
      await outbox.store([send(message(n, record), 'a')], n)
    expect(await positions('a')).to.deep.equal([8, 9, 11])
    const [first] = (await due('a'))!.due
    const rest = await due('a', 100, { underWay: new Set([first!.id]), records: new Set(['tenant-1']) })
    expect(rest!.due.map((one) => one.message.position)).to.deep.equal([9, 11])
  })

  it('says when the next is due', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 500, 60_000)
    expect(await due('a')).to.deep.equal({ due: [], nextInMs: 60_000 })
    under.pass(59_000)
    expect((await due('a'))!.nextInMs).to.equal(1_000)
    under.pass(1_000)
    expect((await due('a'))!.due).to.deep.equal([{ ...first, attempts: 1 }])
    await settle('a', first!.id, 500)
    expect(await due('a')).to.deep.equal({ due: [] })
  })

  it('lets one wait that was not tried: that counts for nothing', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    const [first] = (await due('a'))!.due
    const held = { id: first!.id, endpoint: 'a', attempt: attempt(500), succeeded: false, isHeld: true }
    await outbox.settle([{ ...held, againInMs: 60_000 }])
    under.pass(59_000)
    expect((await due('a'))!.due).to.deep.equal([])
    under.pass(1_000)
    expect((await due('a'))!.due).to.deep.equal([first])
    expect(await outbox.get(COMPANY, 'a', first!.id)).to.deep.include({ log: [], attempts: 0 })
    expect([...(await settle('a', first!.id, 500))]).to.deep.equal([['a', 0]])
  })

  it('holds back later ones of a record while an earlier one is pending, where order is asked for', async () => {
    await outbox.store([put('a', 1, { ordered: true })], 1)
    for (const n of [8, 9]) await outbox.store([send(message(n), 'a')], n)
    await outbox.store([send(message(10, 'tenant-2'), 'a')], 10)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 500, 60_000)
    expect(await positions('a')).to.deep.equal([10])
    under.pass(60_000)
    expect(await positions('a')).to.deep.equal([10, 8])
    await settle('a', first!.id, 204)
    expect(await positions('a')).to.deep.equal([9, 10])
  })

  it('gives nothing for an endpoint that is not active, and cancels what one that is gone was to get', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    await outbox.store([put('a', 9, { active: false })], 9)
    expect(await due('a')).to.equal(undefined)
    expect(await outbox.waiting(0)).to.deep.equal([])
    await outbox.store([put('a', 10)], 10)
    expect(await positions('a')).to.deep.equal([8])
    await outbox.store([{ op: 'forget', key: 'a', position: 11 }], 11)
    expect(await due('a')).to.equal(undefined)
    expect((await outbox.list(COMPANY, 'a', every)).deliveries.map(({ state }) => state)).to.deep.equal([
      'cancelled',
    ])
    await outbox.store([put('a', 12)], 12)
    expect(await positions('a')).to.deep.equal([])
  })

  it('knows which endpoints wait for longer than that', async () => {
    await outbox.store([put('a', 1), put('b', 1), send(message(8), 'a')], 8)
    expect(await outbox.waiting(0)).to.deep.equal([{ key: 'a', company: COMPANY }])
    expect(await outbox.waiting(1_000)).to.deep.equal([])
    under.pass(1_000)
    expect(await outbox.waiting(1_000)).to.deep.equal([{ key: 'a', company: COMPANY }])
  })

  it('measures for how long an endpoint has only failed', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    const [{ id } = { id: '' }] = (await due('a'))!.due
    expect([...(await settle('a', id, 500, 0))]).to.deep.equal([['a', 0]])
    under.pass(5_000)
    expect([...(await settle('a', id, 500, 0))]).to.deep.equal([['a', 5_000]])
    expect((await outbox.health(COMPANY, ['a']))[0])
      .to.include({ endpoint: 'a', pending: 1 })
      .and.have.property('failingSince')
    await settle('a', id, 204)
    expect(await outbox.health(COMPANY, ['a', 'b'])).to.deep.equal([{ endpoint: 'a', pending: 0 }])
  })

  it('settles what came to its end once', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a')], 8)
    const [{ id } = { id: '' }] = (await due('a'))!.due
    await settle('a', id, 204)
    await settle('a', id, 500, 1_000)
    expect((await outbox.get(COMPANY, 'a', id))!).to.deep.include({ state: 'delivered', attempts: 1 })
  })

  it('logs what was sent, newest first, by state, event and record, to its own company', async () => {
    await outbox.store([put('a', 1)], 1)
    for (const n of [8, 9, 10]) await outbox.store([send(message(n, `tenant-${n}`), 'a')], n)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 204)
    const list = async (more: object) => {
      const { deliveries, total } = await outbox.list(COMPANY, 'a', { ...every, ...more })
      return [total, ...deliveries.map(({ record }) => record)]
    }
    expect(await list({})).to.deep.equal([3, 'tenant-10', 'tenant-9', 'tenant-8'])
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, 'tenant-9'])
    expect(await list({ state: 'pending' })).to.deep.equal([2, 'tenant-10', 'tenant-9'])
    expect(await list({ event: 'tenant.updated' })).to.deep.equal([1, 'tenant-9'])
    expect(await list({ record: 'tenant-8' })).to.deep.equal([1, 'tenant-8'])
    expect(await list({ record: 'tenant-8', state: 'pending' })).to.deep.equal([0])
    expect(await list({ record: 'tenant-7' })).to.deep.equal([0])
    const detail = (await outbox.get(COMPANY, 'a', first!.id))!
    expect(detail).to.deep.include({
      state: 'delivered',
      attempts: 1,
      lastStatus: 204,
      body: '{"n":8}',
      log: [attempt(204)],
    })
    expect(detail).to.not.have.property('nextAttemptAt')
    expect(await outbox.get('company-b', 'a', first!.id)).to.equal(undefined)
    expect(await outbox.get(COMPANY, 'b', first!.id)).to.equal(undefined)
    expect((await outbox.list('company-b', 'a', every)).total).to.equal(0)
    expect(await outbox.health('company-b', ['a'])).to.deep.equal([])
  })

  it('sends a message of its own, and one that is there again', async () => {
    await outbox.store([put('a', 1)], 1)
    const ping = message(0, 'a')
    const first = deliveryOf(ping, 'a', AT)
    for (let i = 0; i < 2; i++) await outbox.add(ping, first)
    expect(await positions('a')).to.deep.equal([0])
    await settle('a', first.id, 204)
    const second = deliveryOf(ping, 'a', AT, 'again')
    for (let i = 0; i < 2; i++) await outbox.add(undefined, second)
    expect((await due('a'))!.due.map(({ id }) => id)).to.deep.equal([second.id])
  })

  it('remembers replays and how far they have come, until they are done', async () => {
    const replay = { id: 'replay-1', company: COMPANY, endpoint: 'a', from: AT, until: 50 }
    for (let i = 0; i < 2; i++) await outbox.replay(replay)
    await outbox.store([put('a', 1)], 1)
    expect(await outbox.replays()).to.deep.equal([{ ...replay, position: 0 }])
    await outbox.advance('replay-1', [send(message(8), 'a')], 20, false)
    expect(await outbox.replays()).to.deep.equal([{ ...replay, position: 20 }])
    expect(await positions('a')).to.deep.equal([8])
    await outbox.advance('replay-1', [], 50, true)
    expect(await outbox.replays()).to.deep.equal([])
    expect(await outbox.position()).to.equal(1)
  })

  it('says how far a replay is, to those whom it concerns', async () => {
    const replay = { id: 'replay-1', company: COMPANY, endpoint: 'a', until: 50 }
    await outbox.replay(replay)
    const shown = () => outbox.replayed(COMPANY, 'a', 'replay-1')
    expect(await shown()).to.deep.equal({ ...replay, position: 0, done: false })
    await outbox.advance('replay-1', [], 20, false)
    expect(await shown()).to.deep.equal({ ...replay, position: 20, done: false })
    await outbox.advance('replay-1', [], 50, true)
    expect(await shown()).to.deep.equal({ ...replay, position: 50, done: true })
    expect(await outbox.replayed('company-2', 'a', 'replay-1')).to.equal(undefined)
    expect(await outbox.replayed(COMPANY, 'b', 'replay-1')).to.equal(undefined)
    expect(await outbox.replayed(COMPANY, 'a', 'replay-2')).to.equal(undefined)
  })

  it('takes so many replays of one endpoint at a time, and repeats of those', async () => {
    const replay = (nth: number, endpoint = 'a') => ({
      ...{ id: `replay-${endpoint}${nth}`, company: COMPANY, endpoint, until: 50 },
    })
    for (let nth = 1; nth <= MOST_REPLAYS; nth++) expect(await outbox.replay(replay(nth))).to.equal(true)
    expect(await outbox.replay(replay(MOST_REPLAYS + 1))).to.equal(false)
    expect(await outbox.replay(replay(1))).to.equal(true)
    expect(await outbox.replay(replay(1, 'b'))).to.equal(true)
    await outbox.store([put('a', 1)], 1)
    expect(await outbox.replays()).to.have.length(MOST_REPLAYS + 1)
    await outbox.advance('replay-a1', [], 50, true)
    expect(await outbox.replay(replay(MOST_REPLAYS + 1))).to.equal(true)
  })

  it('begins a replay where it is to begin, also one that is asked for by what fills it', async () => {
    const replay = { id: 'replay-2', company: COMPANY, endpoint: 'a', after: 30, until: 50 }
    await outbox.store([put('a', 1), { op: 'replay', replay }], 1)
    expect(await outbox.replays()).to.deep.equal([{ ...replay, position: 30 }])
  })

  it('knows up to where nothing is pending for an endpoint', async () => {
    await outbox.store([put('a', 1), put('b', 1), put('c', 1, { heldFrom: 3 })], 1)
    await outbox.store([send(message(8), 'a'), send(message(9, 'tenant-2'), 'a', 'b')], 12)
    const upTo = async (key: string) => (await outbox.deliveredUpTo(key))?.upTo
    expect(await outbox.deliveredUpTo('a')).to.deep.equal({ company: COMPANY, upTo: 7 })
    expect(await upTo('b')).to.equal(8)
    expect(await upTo('c'), 'it is held back').to.equal(3)
    expect(await upTo('d')).to.equal(undefined)
    const [first, second] = (await due('a'))!.due
    await settle('a', second!.id, 204)
    expect(await upTo('a')).to.equal(7)
    await settle('a', first!.id, 500, 60_000)
    expect(await upTo('a')).to.equal(7)
    await settle('a', first!.id, 204)
    expect(await upTo('a')).to.equal(12)
    await outbox.add(message(0, 'a'), deliveryOf(message(0, 'a'), 'a', AT))
    expect(await upTo('a'), 'a ping is none of the log').to.equal(12)
  })

  it('keeps a message while any endpoint still waits for it', async () => {
    await outbox.store([put('a', 1), put('b', 1), send(message(8), 'a', 'b')], 8)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 204)
    under.pass(2_000)
    expect(await outbox.purge(1_000)).to.equal(1)
    expect(await positions('b')).to.deep.equal([8])
    const [other] = (await due('b'))!.due
    await settle('b', other!.id, 204)
    under.pass(2_000)
    expect(await outbox.purge(1_000)).to.equal(1)
    const again = deliveryOf(message(8), 'b', AT, 'again')
    const error = await outbox.add(undefined, again).catch((error: unknown) => error)
    expect(error, 'the message is gone with its last delivery').to.be.instanceOf(Error)
  })

  it('forgets what came to its end long ago, and nothing else', async () => {
    await outbox.store([put('a', 1), send(message(8), 'a'), send(message(9, 'tenant-2'), 'a')], 9)
    const [first] = (await due('a'))!.due
    await settle('a', first!.id, 204)
    expect(await outbox.purge(1_000)).to.equal(0)
    under.pass(2_000)
    expect(await outbox.purge(1_000)).to.equal(1)
    expect(await outbox.purge(1_000)).to.equal(0)
    expect((await outbox.list(COMPANY, 'a', every)).deliveries.map(({ record }) => record)).to.deep.equal([
      'tenant-2',
    ])
    expect(await positions('a')).to.deep.equal([9])
  })

  it('lets one process at a time send to an endpoint', async () => {
    await outbox.store([put('a', 1)], 1)
    expect(await outbox.hold('a')).to.equal(true)
    await outbox.release('a')
    expect(await outbox.hold('a')).to.equal(true)
    await outbox.release('a')
  })
}
