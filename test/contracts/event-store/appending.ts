/** What is stored by appends, and read back. */
import { expect } from 'chai'
import fc from 'fast-check'
import { TooLarge, Unavailable } from '../../../src/domain/errors.ts'
import type { NewEvent, RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { VersionConflict } from '../../../src/ports/event-store.ts'
import { freshCompany, freshStream } from '../../support/events.ts'
import { idsOf, rejection, type OpenedStore } from './opened-store.ts'

export function appendingContract(given: OpenedStore): void {
  const { append, appendTo, event, events, stored } = given

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
        reason: 'pour l’été',
        metadata: { $causationId: 'import-1#2', onBehalfOf: 'user-2', quiet: true },
      })
      const second = event({ type: 'contract.workflow.submitted', data: {} })
      await append(0, first)
      await append(1, second)
      const read = await stored()
      expect(read.map(withoutPosition)).to.deep.equal([
        { ...first, stream: given.stream, version: 1 },
        { ...second, stream: given.stream, version: 2 },
      ])
    })

    it('reads back any JSON exactly', async () => {
      const anything = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
      await fc.assert(
        fc.asyncProperty(anything, async (generated) => {
          const data = JSON.parse(JSON.stringify(generated)) as Fields // JSON has no -0
          given.stream = freshStream()
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
        (await given.store.read(given.company, given.stream, after)).map(({ version }) => version)
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
      expect(await given.store.read(freshCompany(), given.stream)).to.deep.equal([])
    })
  })

  describe('the last event of a stream', () => {
    it('is the one that was appended last, as it is read', async () => {
      await append(0, ...events(70))
      expect(await given.store.last(given.company, given.stream)).to.deep.equal((await stored()).at(-1))
      const last = event()
      await append(70, last)
      expect(await given.store.last(given.company, given.stream)).to.include({ id: last.id, version: 71 })
    })

    it('is not there where nothing happened', async () => {
      expect(await given.store.last(given.company, given.stream)).to.equal(undefined)
      expect(await given.store.last(given.company, 'no stream’s name')).to.equal(undefined)
    })

    it('is not there for another company', async () => {
      await append(0, ...events(2))
      expect(await given.store.last(freshCompany(), given.stream)).to.equal(undefined)
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
      expect(await conflict(0, event())).to.include({ stream: given.stream, expected: 0, actual: 2 })
    })

    it('conflicts when the stream is not there', async () => {
      expect(await conflict(3, event())).to.include({ stream: given.stream, expected: 3, actual: 0 })
    })

    it('conflicts when the stream has moved on, or is not so far yet', async () => {
      await append(0, ...events(3))
      expect(await conflict(2, event())).to.include({ stream: given.stream, expected: 2, actual: 3 })
      expect(await conflict(4, event())).to.include({ stream: given.stream, expected: 4, actual: 3 })
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
      await given.reopen()
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

  describe('appends that wait to be stored together', () => {
    it('are stored when they need wait no more, each by itself, and hold up no others', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { store, company } = given
      const streams = Array.from({ length: 50 }, freshStream)
      const waiting = streams.map((stream) =>
        store.append({ company, stream, expected: 0, events: [event(), event()], together: promise }),
      )
      const refused = store.append({
        company,
        stream: freshStream(),
        expected: 3,
        events: [event()],
        together: promise,
      })
      const conflict = rejection(refused)
      await append(0, event())
      resolve()
      const appended = await Promise.all(waiting)
      expect(appended.map(({ version }) => version)).to.deep.equal(streams.map(() => 2))
      expect(new Set(appended.map(({ position }) => position)).size).to.equal(streams.length)
      expect(await conflict).to.be.instanceOf(VersionConflict)
      for (const stream of streams) expect(await store.read(company, stream)).to.have.length(2)
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
      expect(await given.store.read(given.company, other)).to.deep.equal([])
    })

    it('is not an append of a million bytes', async () => {
      await append(0, event({ data: { Text: 'x'.repeat(1_000_000) } }))
      expect((await stored())[0]?.data.Text).to.have.length(1_000_000)
    })
  })
}

function withoutPosition({ position, ...rest }: RecordedEvent): Omit<RecordedEvent, 'position'> {
  expect(position).to.satisfy(Number.isSafeInteger)
  return rest
}
