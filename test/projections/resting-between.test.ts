import { expect } from 'chai'
import type { Position } from '../../src/domain/events/event.ts'
import type { EventBatch } from '../../src/ports/event-store.ts'
import { restingBetween } from '../../src/projections/resting-between.ts'
import { memoryEventStore } from '../support/memory-event-store.ts'
import { logOf, more, tenant } from './following.ts'

const positionsOf = (next: IteratorResult<EventBatch>): readonly Position[] =>
  next.done ? [] : next.value.events.map(({ position }) => position)

describe('following without haste', () => {
  /** A rest that lasts until it is ended. */
  const rests = () => {
    let [taken, end] = [0, () => {}]
    const rest = () => {
      taken++
      return new Promise<void>((resolve) => (end = resolve))
    }
    return { rest, taken: () => taken, end: () => end() }
  }

  it('gives the first event at once, and what comes while it rests together', async () => {
    const log = await logOf(tenant(1))
    const { rest, taken, end } = rests()
    const batches = restingBetween(memoryEventStore({ log }), rest).subscribe(0)[Symbol.asyncIterator]()
    const [first, rested] = [positionsOf(await batches.next()), taken()]
    const second = batches.next()
    await more(log, tenant(2))
    await more(log, tenant(3))
    end()
    expect([first, rested, positionsOf(await second), taken()]).to.deep.equal([[1], 0, [2, 3], 1])
  })

  it('does not rest where there is more to be read', async () => {
    const log = await logOf(...Array.from({ length: 700 }, (_, i) => tenant(i)))
    const { rest, taken } = rests()
    const batches = restingBetween(memoryEventStore({ log, batch: 600 }), rest)
      .subscribe(0)
      [Symbol.asyncIterator]()
    const sizes = [positionsOf(await batches.next()).length, positionsOf(await batches.next()).length]
    expect([sizes, taken()]).to.deep.equal([[600, 100], 0])
  })

  it('can be left while it rests', async () => {
    const log = await logOf(tenant(1))
    const { rest, end } = rests()
    const batches = restingBetween(memoryEventStore({ log }), rest).subscribe(0)[Symbol.asyncIterator]()
    await batches.next()
    const second = batches.next()
    await batches.return?.()
    await more(log, tenant(2))
    end()
    expect((await second).done).to.equal(true)
  })
})
