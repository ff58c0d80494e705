/**
 * What every event store must do. Adapters run this; they never copy it.
 *
 * It also runs against a server that others use: streams and companies are fresh each time, the store is never assumed
 * to be empty or ours alone, and `open` opens the same store again each time.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { TooLarge, Unavailable } from '../../src/domain/errors.ts'
import type { Company, NewEvent, Position, RecordedEvent } from '../../src/domain/event.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import {
  type Appended,
  type EventBatch,
  type EventStore,
  VersionConflict,
} from '../../src/ports/event-store.ts'
import { freshCompany, freshStream, type GivenEvent, newEvent, newEvents } from '../support/events.ts'

export function eventStoreContract(open: () => Promise<EventStore>): void {
  let store: EventStore
  let isOpen: boolean
  let company: Company
  let stream: string

  beforeEach(async () => {
    store = await open()
    isOpen = true
    company = freshCompany()
    stream = freshStream()
  })
  afterEach(close)

  async function close(): Promise<void> {
    if (isOpen) await store.close()
    isOpen = false
  }

  const event = (given: GivenEvent = {}): NewEvent => newEvent({ company, ...given })
  const events = (count: number): NewEvent[] => newEvents(count, { company })
  const append = (expected: number, ...appended: NewEvent[]): Promise<Appended> =>
    store.append({ company, stream, expected, events: appended })
  const appendTo = (other: string, ...appended: NewEvent[]): Promise<Appended> =>
    store.append({ company, stream: other, expected: 0, events: appended })
  const stored = (): Promise<readonly RecordedEvent[]> => store.read(company, stream)

  /** The company's events after a position, until there are so many of them. */
  const collect = (after: Position, count: number): Promise<RecordedEvent[]> =>
    collectFrom(store.subscribe(after), after, company, count)

  describe('append and read', () => {
    it('reads back every field exactly as it was appended', async () => {
      const first = event({
        type: 'contract.created',
        data: {
          Name: 'Zoë “Ő” Łukasz \'quoted\' "twice" \\ / 😀 \u0000 \u2028 <b>&amp;</b>',
          Empty: '',
          Nothing: null,
          Yes: true,
          Amounts: [0.1, -1.5, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE],
          MonthlyRent: { Amount: 1234.56, Currency: 'EUR' },
          Nested: { Deep: [{ Er: [[], {}, [null]] }] },
        },
        metadata: { idempotencyKey: 'key "1"', reason: 'pour l’été' },
      })
      const second = event({ type: 'contract.workflow.submitted', data: {} })
      await append(0, first)
      await append(1, second)
      const read = await stored()
      expect(read.map(withoutPosition)).to.deep.equal([
        { ...first, stream, version: 1 },
        { ...second, stream, version: 2 },
      ])
    })

    it('reads back any JSON exactly', async () => {
      const anything = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
      await fc.assert(
        fc.asyncProperty(anything, async (generated) => {
          const data = JSON.parse(JSON.stringify(generated)) as Fields // JSON has no -0
          stream = freshStream()
          await append(0, event({ data }))
          const [read] = await stored()
          expect(JSON.stringify(read?.data)).to.equal(JSON.stringify(data))
        }),
        { numRuns: 25 },
      )
    })

    it('reads back deep and large data', async () => {
      let deep: Json = 'bottom'
      for (let depth = 0; depth < 31; depth++) deep = depth % 2 ? { Deeper: deep } : [deep]
      const data = {
        Deep: deep,
        Rows: Array.from({ length: 4_000 }, (_, row) => ({ Row: row, Text: 'é'.repeat(40) })),
      }
      await append(0, event({ data }))
      const [read] = await stored()
      expect(read?.data).to.deep.equal(data)
    })

    it('reads nothing of a stream that is not there', async () => {
      expect(await stored()).to.deep.equal([])
    })

    it('counts versions from 1, and answers version and position of the last event', async () => {
      const first = await append(0, ...events(2))
      const second = await append(2, event())
      const read = await stored()
      expect(read.map(({ version }) => version)).to.deep.equal([1, 2, 3])
      expect(first).to.deep.equal({ version: 2, position: read[1]?.position })
      expect(second).to.deep.equal({ version: 3, position: read[2]?.position })
      expect(first.position).to.be.greaterThan(read[0]?.position ?? Infinity)
      expect(second.position).to.be.greaterThan(first.position)
    })

    it('reads only what comes after a version', async () => {
      await append(0, ...events(3))
      const versions = async (after: number) =>
        (await store.read(company, stream, after)).map(({ version }) => version)
      expect(await versions(0)).to.deep.equal([1, 2, 3])
      expect(await versions(2)).to.deep.equal([3])
      expect(await versions(3)).to.deep.equal([])
      expect(await versions(30)).to.deep.equal([])
    })

    it('reads a stream of a thousand events in order', async () => {
      const appended = events(1_000)
      for (let from = 0; from < appended.length; from += 250)
        await append(from, ...appended.slice(from, from + 250))
      expect(idsOf(await stored())).to.deep.equal(idsOf(appended))
    })

    it("reads nothing of another company's stream", async () => {
      await append(0, event())
      expect(await store.read(freshCompany(), stream)).to.deep.equal([])
    })
  })

  describe('the last event of a stream', () => {
    it('is the one that was appended last, as it is read', async () => {
      await append(0, ...events(70))
      expect(await store.last(company, stream)).to.deep.equal((await stored()).at(-1))
      const last = event()
      await append(70, last)
      expect(await store.last(company, stream)).to.include({ id: last.id, version: 71 })
    })

    it('is not there where nothing happened', async () => {
      expect(await store.last(company, stream)).to.equal(undefined)
      expect(await store.last(company, 'no stream’s name')).to.equal(undefined)
    })

    it('is not there for another company', async () => {
      await append(0, ...events(2))
      expect(await store.last(freshCompany(), stream)).to.equal(undefined)
    })
  })

  describe('the expected version', () => {
    async function conflict(expected: number, ...appended: NewEvent[]): Promise<VersionConflict> {
      const error = await rejection(append(expected, ...appended))
      expect(error).to.be.instanceOf(VersionConflict)
      return error as VersionConflict
    }

    it('conflicts when the stream is there already', async () => {
      await append(0, ...events(2))
      expect(await conflict(0, event())).to.include({ stream, expected: 0, actual: 2 })
    })

    it('conflicts when the stream is not there', async () => {
      expect(await conflict(3, event())).to.include({ stream, expected: 3, actual: 0 })
    })

    it('conflicts when the stream has moved on, or is not so far yet', async () => {
      await append(0, ...events(3))
      expect(await conflict(2, event())).to.include({ stream, expected: 2, actual: 3 })
      expect(await conflict(4, event())).to.include({ stream, expected: 4, actual: 3 })
    })

    it('stores none of the events of an append that conflicts', async () => {
      const first = event()
      await append(0, first)
      await conflict(0, ...events(3))
      expect(idsOf(await stored())).to.deep.equal([first.id])
    })

    it('lets exactly one of twenty racing writers win', async () => {
      const writers = Array.from({ length: 20 }, () => events(2))
      const race = await Promise.allSettled(writers.map((pair) => append(0, ...pair)))
      const winners = writers.filter((_, index) => race[index]?.status === 'fulfilled')
      expect(winners).to.have.length(1)
      const losers = race
        .filter((result) => result.status === 'rejected')
        .map(({ reason }) => reason as unknown)
      for (const reason of losers)
        expect(reason).to.be.instanceOf(VersionConflict).and.to.include({ actual: 2 })
      expect(idsOf(await stored())).to.deep.equal(idsOf(winners[0] ?? []))
    })
  })

  describe('a repeated append', () => {
    it('stores nothing and answers as the first time', async () => {
      const appended = events(3)
      const first = await append(0, ...appended)
      expect(await append(0, ...appended)).to.deep.equal(first)
      expect(idsOf(await stored())).to.deep.equal(idsOf(appended))
    })

    it('is recognised at a later version too', async () => {
      const [before, ...appended] = events(3)
      if (before) await append(0, before)
      const first = await append(1, ...appended)
      expect(await append(1, ...appended)).to.deep.equal(first)
      expect(await stored()).to.have.length(3)
    })

    it('is recognised after later events', async () => {
      const appended = events(2)
      const first = await append(0, ...appended)
      await append(2, ...events(3))
      expect(await append(0, ...appended)).to.deep.equal(first)
      expect(await stored()).to.have.length(5)
    })

    it('is harmless when only the leading events come again', async () => {
      const appended = events(3)
      await append(0, ...appended)
      const again = await append(0, ...appended.slice(0, 2))
      const read = await stored()
      expect(idsOf(read)).to.deep.equal(idsOf(appended))
      expect(again).to.deep.equal({ version: 2, position: read[1]?.position })
    })

    it('is recognised after the store was closed and opened again', async () => {
      const appended = events(2)
      const first = await append(0, ...appended)
      await close()
      store = await open()
      isOpen = true
      expect(await append(0, ...appended)).to.deep.equal(first)
      expect(await stored()).to.have.length(2)
    })

    it('conflicts when it brings one more event', async () => {
      const appended = events(2)
      await append(0, ...appended)
      const error = await rejection(append(0, ...appended, event()))
      expect(error).to.be.instanceOf(VersionConflict)
      expect(await stored()).to.have.length(2)
    })
  })

  describe('what cannot be stored', () => {
    async function refused(attempt: Promise<unknown>, message: RegExp): Promise<void> {
      const error = await rejection(attempt)
      expect(error).to.be.instanceOf(Error).and.to.have.property('message').that.matches(message)
      expect(error).not.to.be.instanceOf(VersionConflict)
      expect(error).not.to.be.instanceOf(Unavailable)
    }

    /** An append before, during and after the refused one is stored as if nothing had been. */
    async function goesOnAfter(attempt: () => Promise<void>): Promise<void> {
      await append(0, event())
      await Promise.all([attempt(), append(1, event()), attempt()])
      await append(2, event())
      expect(await stored()).to.have.length(3)
    }

    it('is an append without events', () => goesOnAfter(() => refused(append(2), /event/)))

    it('is a malformed event id', () =>
      goesOnAfter(() => refused(appendTo(freshStream(), event({ id: 'contract-1' })), /id/)))

    it('is an empty event type', () =>
      goesOnAfter(() => refused(appendTo(freshStream(), event({ type: '' })), /type/)))

    it('is an empty stream name', () => goesOnAfter(() => refused(appendTo('', event()), /stream/)))

    it('is an append of more than 1,048,576 bytes of data', async () => {
      // Characters of two bytes: what counts is bytes. No event alone is too large.
      const half = () => event({ data: { Text: 'é'.repeat(300_000) } })
      const other = freshStream()
      await goesOnAfter(async () => {
        expect(await rejection(appendTo(other, half(), half()))).to.be.instanceOf(TooLarge)
      })
      expect(await store.read(company, other)).to.deep.equal([])
    })

    it('is not an append of a million bytes', async () => {
      await append(0, event({ data: { Text: 'x'.repeat(1_000_000) } }))
      expect((await stored())[0]?.data.Text).to.have.length(1_000_000)
    })
  })

  describe('a subscription', () => {
    it('delivers events as they are read', async () => {
      const { position } = await append(0, event())
      await append(1, ...events(2))
      expect(await collect(position, 2)).to.deep.equal(await store.read(company, stream, 1))
    })

    it('delivers everything from the beginning', async () => {
      await append(0, ...events(3))
      await appendTo(freshStream(), event())
      const collected = await collect(0, 4)
      expect(collected.slice(0, 3)).to.deep.equal(await stored())
    }).timeout(180_000)

    it('delivers in the order of the appends, whatever the stream', async () => {
      const start = await store.head()
      const appended = events(30)
      const streams = [freshStream(), freshStream('tenant'), freshStream('unit')]
      for (const [index, one] of appended.entries()) {
        const [turn, round] = [index % 3, Math.floor(index / 3)]
        await store.append({ company, stream: streams[turn] ?? '', expected: round, events: [one] })
      }
      expect(idsOf(await collect(start, 30))).to.deep.equal(idsOf(appended))
    })

    it('delivers racing appends by their positions, each append in one piece', async () => {
      const start = await store.head()
      const appends = Array.from({ length: 40 }, () => events(3))
      const answers = await Promise.all(appends.map((three) => appendTo(freshStream(), ...three)))
      const inOrder = appends
        .map((three, index) => ({ three, position: answers[index]?.position ?? 0 }))
        .sort((one, other) => one.position - other.position)
      expect(idsOf(await collect(start, 120))).to.deep.equal(inOrder.flatMap(({ three }) => idsOf(three)))
    })

    it('passes from what is stored to what comes without a gap or a repeat', async () => {
      const start = await store.head()
      const appended = events(200)
      for (const [index, one] of appended.slice(0, 50).entries()) await append(index, one)
      const collecting = collect(start, 200)
      for (const [index, one] of appended.slice(50).entries()) await append(50 + index, one)
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
    })

    it('delivers what is appended while it waits', async () => {
      const start = await store.head()
      const appended = events(2)
      const collecting = collect(start, 2)
      for (const [index, one] of appended.entries()) await append(index, one)
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
    })

    it('goes on from the position of any batch', async () => {
      const appended = events(400)
      let after = await store.head()
      const collecting = collect(after, 400)
      for (let from = 0; from < 400; from += 40) await append(from, ...appended.slice(from, from + 40))
      await collecting
      const pieces: RecordedEvent[] = []
      while (pieces.length < 400) {
        for await (const batch of store.subscribe(after)) {
          pieces.push(...batch.events.filter(({ metadata }) => metadata.company === company))
          after = batch.position
          break
        }
      }
      expect(idsOf(pieces)).to.deep.equal(idsOf(appended))
    })

    it('waits for a consumer that is slow, and leaves nothing out', async () => {
      const start = await store.head()
      const appended = events(5_000)
      const batches = store.subscribe(start)[Symbol.asyncIterator]()
      await append(0, ...appended.slice(0, 100))
      const first = await batches.next()
      for (let from = 100; from < 5_000; from += 100) await append(from, ...appended.slice(from, from + 100))
      const early = first.done
        ? []
        : first.value.events.filter(({ metadata }) => metadata.company === company)
      const late = await collectFrom(
        { [Symbol.asyncIterator]: () => batches },
        first.done ? start : first.value.position,
        company,
        5_000 - early.length,
      )
      expect(idsOf([...early, ...late])).to.deep.equal(idsOf(appended))
    }).timeout(60_000)

    it('delivers everything to each of two subscribers', async () => {
      const start = await store.head()
      const both = [collect(start, 20), collect(start, 20)]
      const appended = events(20)
      for (const [index, one] of appended.entries()) await append(index, one)
      for (const collected of await Promise.all(both)) expect(idsOf(collected)).to.deep.equal(idsOf(appended))
    })

    it('can be left early, and the store goes on', async () => {
      const start = await store.head()
      await append(0, ...events(3))
      for await (const batch of store.subscribe(start)) if (batch.events.length > 0) break
      await append(3, event())
      expect(await collect(start, 4)).to.have.length(4)
    })

    it('can be left while it waits', async () => {
      const batches = store.subscribe((await append(0, event())).position)[Symbol.asyncIterator]()
      const waiting = untilEvents(batches)
      await batches.return?.()
      expect(await waiting).to.equal('ended')
    })

    it('ends when the store is closed', async () => {
      const batches = store.subscribe((await append(0, event())).position)[Symbol.asyncIterator]()
      const waiting = untilEvents(batches)
      await close()
      expect(await waiting).to.equal('ended')
      expect((await batches.next()).done).to.equal(true)
    })
  })

  describe('the head', () => {
    it('is at or after the last append', async () => {
      const before = await store.head()
      const { position } = await append(0, ...events(2))
      expect(position).to.be.greaterThan(before)
      expect(await store.head()).to.be.at.least(position)
    })

    it('is reached by a subscription, also when nothing more is appended', async () => {
      const { position } = await append(0, event())
      await append(1, event())
      const head = await store.head()
      for await (const batch of store.subscribe(position)) if (batch.position >= head) break
    })

    it('is where a subscription to what comes begins', async () => {
      await append(0, ...events(2))
      const head = await store.head()
      const collecting = collect(head, 1)
      const next = event()
      await append(2, next)
      expect(idsOf(await collecting)).to.deep.equal([next.id])
    })
  })
}

/** Collects a company's events and checks what every batch must hold. */
async function collectFrom(
  batches: AsyncIterable<EventBatch>,
  after: Position,
  company: Company,
  count: number,
): Promise<RecordedEvent[]> {
  const collected: RecordedEvent[] = []
  let reached = after
  let last = after
  for await (const batch of batches) {
    for (const { position } of batch.events) {
      expect(position, 'positions of events increase').to.be.greaterThan(last)
      last = position
    }
    expect(batch.position, 'a batch reaches its last event').to.be.at.least(last)
    expect(batch.position, 'positions of batches increase').to.be.greaterThan(reached)
    reached = batch.position
    collected.push(...batch.events.filter(({ metadata }) => metadata.company === company))
    if (collected.length >= count) break
  }
  return collected
}

/** Others may append to the same store meanwhile, so only the end counts. */
async function untilEvents(batches: AsyncIterator<EventBatch>): Promise<'ended'> {
  while (!(await batches.next()).done);
  return 'ended'
}

const idsOf = (events: readonly NewEvent[]): string[] => events.map(({ id }) => id)

function withoutPosition({ position, ...rest }: RecordedEvent): Omit<RecordedEvent, 'position'> {
  expect(position).to.satisfy(Number.isSafeInteger)
  return rest
}

const rejection = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    (value) => Promise.reject(new Error(`expected a rejection, got ${JSON.stringify(value)}`)),
    (reason: unknown) => reason,
  )
