/** What subscriptions deliver, and where the store ends. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { EventBatch } from '../../../src/ports/event-store.ts'
import { freshStream } from '../../support/events.ts'
import { collectFrom, idsOf, type OpenedStore } from './opened-store.ts'

export function followingContract(given: OpenedStore): void {
  const { append, appendTo, close, collect, event, events, stored } = given

  describe('a subscription', () => {
    it('delivers events as they are read', async () => {
      const { position } = await append(0, event())
      await append(1, ...events(2))
      expect(await collect(position, 2)).to.deep.equal(await given.store.read(given.company, given.stream, 1))
    })

    it('delivers everything from the beginning', async () => {
      await append(0, ...events(3))
      await appendTo(freshStream(), event())
      const collected = await collect(0, 4)
      expect(collected.slice(0, 3)).to.deep.equal(await stored())
    }).timeout(180_000)

    it('delivers in the order of the appends, whatever the stream', async () => {
      const start = await given.store.head()
      const appended = events(30)
      const streams = [freshStream(), freshStream('tenant'), freshStream('unit')]
      for (const [index, one] of appended.entries()) {
        const [turn, round] = [index % 3, Math.floor(index / 3)]
        await given.store.append({
          company: given.company,
          stream: streams[turn] ?? '',
          expected: round,
          events: [one],
        })
      }
      expect(idsOf(await collect(start, 30))).to.deep.equal(idsOf(appended))
    })

    it('delivers racing appends by their positions, each append in one piece', async () => {
      const start = await given.store.head()
      const appends = Array.from({ length: 40 }, () => events(3))
      const answers = await Promise.all(appends.map((three) => appendTo(freshStream(), ...three)))
      const inOrder = appends
        .map((three, index) => ({ three, position: answers[index]?.position ?? 0 }))
        .sort((one, other) => one.position - other.position)
      expect(idsOf(await collect(start, 120))).to.deep.equal(inOrder.flatMap(({ three }) => idsOf(three)))
    })

    it('passes from what is stored to what comes without a gap or a repeat', async () => {
      const start = await given.store.head()
      const appended = events(200)
      for (const [index, one] of appended.slice(0, 50).entries()) await append(index, one)
      const collecting = collect(start, 200)
      for (const [index, one] of appended.slice(50).entries()) await append(50 + index, one)
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
    })

    it('delivers what is appended while it waits', async () => {
      const start = await given.store.head()
      const appended = events(2)
      const collecting = collect(start, 2)
      for (const [index, one] of appended.entries()) await append(index, one)
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
    })

    it('goes on from the position of any batch', async () => {
      const appended = events(400)
      let after = await given.store.head()
      const collecting = collect(after, 400)
      for (let from = 0; from < 400; from += 40) await append(from, ...appended.slice(from, from + 40))
      await collecting
      const pieces: RecordedEvent[] = []
      while (pieces.length < 400) {
        for await (const batch of given.store.subscribe(after)) {
          pieces.push(...batch.events.filter(({ metadata }) => metadata.company === given.company))
          after = batch.position
          break
        }
      }
      expect(idsOf(pieces)).to.deep.equal(idsOf(appended))
    })

    it('waits for a consumer that is slow, and leaves nothing out', async () => {
      const start = await given.store.head()
      const appended = events(5_000)
      const batches = given.store.subscribe(start)[Symbol.asyncIterator]()
      await append(0, ...appended.slice(0, 100))
      const first = await batches.next()
      for (let from = 100; from < 5_000; from += 100) await append(from, ...appended.slice(from, from + 100))
      const early = first.done
        ? []
        : first.value.events.filter(({ metadata }) => metadata.company === given.company)
      const late = await collectFrom(
        { [Symbol.asyncIterator]: () => batches },
        first.done ? start : first.value.position,
        given.company,
        5_000 - early.length,
      )
      expect(idsOf([...early, ...late])).to.deep.equal(idsOf(appended))
    }).timeout(60_000)

    it('delivers everything to each of two subscribers', async () => {
      const start = await given.store.head()
      const both = [collect(start, 20), collect(start, 20)]
      const appended = events(20)
      for (const [index, one] of appended.entries()) await append(index, one)
      for (const collected of await Promise.all(both)) expect(idsOf(collected)).to.deep.equal(idsOf(appended))
    })

    it('can be left early, and the store goes on', async () => {
      const start = await given.store.head()
      await append(0, ...events(3))
      for await (const batch of given.store.subscribe(start)) if (batch.events.length > 0) break
      await append(3, event())
      expect(await collect(start, 4)).to.have.length(4)
    })

    it('can be left while it waits', async () => {
      const batches = given.store.subscribe((await append(0, event())).position)[Symbol.asyncIterator]()
      const waiting = untilEvents(batches)
      await batches.return?.()
      expect(await waiting).to.equal('ended')
    })

    it('ends when the store is closed', async () => {
      const batches = given.store.subscribe((await append(0, event())).position)[Symbol.asyncIterator]()
      const waiting = untilEvents(batches)
      await close()
      expect(await waiting).to.equal('ended')
      expect((await batches.next()).done).to.equal(true)
    })
  })

  describe('the head', () => {
    it('is at or after the last append', async () => {
      const before = await given.store.head()
      const { position } = await append(0, ...events(2))
      expect(position).to.be.greaterThan(before)
      expect(await given.store.head()).to.be.at.least(position)
    })

    it('is reached by a subscription, also when nothing more is appended', async () => {
      const { position } = await append(0, event())
      await append(1, event())
      const head = await given.store.head()
      for await (const batch of given.store.subscribe(position)) if (batch.position >= head) break
    })

    it('is where a subscription to what comes begins', async () => {
      await append(0, ...events(2))
      const head = await given.store.head()
      const collecting = collect(head, 1)
      const next = event()
      await append(2, next)
      expect(idsOf(await collecting)).to.deep.equal([next.id])
    })
  })
}

/** Others may append to the same store meanwhile, so only the end counts. */
async function untilEvents(batches: AsyncIterator<EventBatch>): Promise<'ended'> {
  while (!(await batches.next()).done);
  return 'ended'
}
