import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { Position } from '../../src/domain/events/event.ts'
import type { EventBatch, EventStore } from '../../src/ports/event-store.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'
import { followers, logOf, memoryProjectionStore, more, projection, tenant, unit } from './following.ts'

describe('following events', () => {
  const { follow, until, eventually, quiet, troubles } = followers()

  it('applies what each event means, in order, once, and what comes later too', async () => {
    const log = await logOf(tenant(1), tenant(2))
    const { applied, at } = await follow({ log, projections: [projection('records')] })
    await until(() => at('records').position === 2)
    await more(log, tenant(3))
    await until(() => at('records').position === 3)
    expect(applied).to.deep.equal([1, 2, 3].map((number) => `records ${tenant(number)}`))
  })

  it('passes over what concerns no projection: its position is that of the last event', async () => {
    const log = await logOf(unit(1), tenant(1), unit(2), unit(3))
    const { applied, at, positions } = await follow({ log, projections: [projection('records')] })
    await until(() => at('records').position === 4)
    expect([applied.length, positions.get('records')]).to.deep.equal([1, 4])
  })

  it('comes as far as a batch reaches, past its last event', async () => {
    const log = await logOf(tenant(1), unit(2))
    const events = {
      async *subscribe(after: Position): AsyncGenerator<EventBatch> {
        for await (const batch of memoryEventStore({ log }).subscribe(after))
          yield { ...batch, position: batch.position + 7 }
      },
    }
    const { applied, at, positions } = await follow({ log, events, projections: [projection('records')] })
    await until(() => at('records').position === 9)
    expect([applied.length, positions.get('records')]).to.deep.equal([1, 9])
  })

  it('goes on from where each projection was: a new one catches up, the others do nothing twice', async () => {
    const log = await logOf(tenant(1), tenant(2), tenant(3))
    const models = memoryProjectionStore()
    const first = await follow({ log, models, projections: [projection('records')] })
    await until(() => first.at('records').position === 3)
    await first.stop()
    const second = await follow({
      log,
      models,
      projections: [projection('records'), projection('search', ['records'])],
    })
    await until(() => second.at('search').position === 3)
    expect(models.of('records')).to.have.length(3)
    expect(models.of('search')).to.deep.equal([1, 2, 3].map((number) => `search ${tenant(number)}`))
  })

  it('comes to the same with batches of 1, 7 and 1,000', async () => {
    const streams = Array.from({ length: 50 }, (_, index) => (index % 3 ? tenant(index) : unit(index)))
    const log = await logOf(...streams)
    const outcomes = []
    for (const batch of [1, 7, 1_000]) {
      const projections = [projection('records'), projection('search', ['records'])]
      const { at, of, positions } = await follow({ log, batch, projections })
      await until(() => at('search').position === 50)
      outcomes.push([of('records'), of('search'), [...positions]])
    }
    expect(outcomes[0]?.[0]).to.have.length(33)
    expect(outcomes[1]).to.deep.equal(outcomes[0])
    expect(outcomes[2]).to.deep.equal(outcomes[0])
  })

  it('does nothing twice when events are delivered twice', async () => {
    const streams = Array.from({ length: 40 }, (_, index) => tenant(index))
    const log = await logOf(...streams)
    const repeating: Pick<EventStore, 'subscribe'> = {
      async *subscribe(after): AsyncGenerator<EventBatch> {
        for await (const batch of memoryEventStore({ log, batch: 5 }).subscribe(after)) {
          yield batch
          yield { events: log.all(Math.max(0, batch.position - 8)).slice(0, 8), position: batch.position }
        }
      },
    }
    const { at, applied } = await follow({ log, events: repeating, projections: [projection('records')] })
    await until(() => at('records').position === 40)
    expect(applied).to.deep.equal(streams.map((stream) => `records ${stream}`))
  })

  it('goes back with a store that another process has begun again', async () => {
    const log = await logOf(tenant(1), tenant(2))
    const models = memoryProjectionStore()
    const { at, of } = await follow({ log, models, projections: [projection('records')] })
    await until(() => at('records').position === 2)
    models.positions.set('records', 0)
    models.onApply((work) => {
      const after = Math.max(...work.map((one) => one.after ?? 0))
      if (after > (models.positions.get('records') ?? 0)) throw new Unavailable('it has gone back')
    })
    await more(log, tenant(3))
    await eventually(() => at('records').position === 3)
    expect(of('records')).to.deep.equal([1, 2, 1, 2, 3].map((number) => `records ${tenant(number)}`))
  })

  describe('when a store cannot be reached', () => {
    it('tries again after pauses that grow up to 2 s, and are short again after every headway', async () => {
      const log = await logOf(tenant(1), tenant(2))
      const models = memoryProjectionStore()
      const pauses: number[] = []
      let [refusals, headway] = [7, 0]
      models.onApply(() => {
        if (refusals-- > 0) throw new Unavailable('gone')
        if (++headway === 1) refusals = 2
      })
      const { at } = await follow({
        log,
        models,
        batch: 1,
        projections: [projection('records')],
        pause: async (ms) => void pauses.push(ms),
      })
      await until(() => at('records').position === 2)
      expect(pauses).to.deep.equal([100, 200, 400, 800, 1_600, 2_000, 2_000, 100, 200])
    })

    it('tries again until the read models take it, and parks nothing', async () => {
      const log = await logOf(tenant(1), tenant(2))
      const models = memoryProjectionStore()
      models.onApply(() => {
        models.onApply(() => {})
        throw new Unavailable('the disk is full')
      })
      const states = new Set<string>()
      const { applied, at } = await follow({
        log,
        models,
        projections: [projection('records')],
        onStatus: (statuses) => statuses.forEach(({ state }) => states.add(state)),
      })
      await eventually(() => at('records').position === 2)
      expect([...states]).to.deep.equal(['live'])
      expect(applied).to.have.length(2)
      expect(troubles()).to.deep.equal(['projections cannot go on for now'])
    })

    it('says why it does not get on, until it has', async () => {
      const log = await logOf(tenant(1), tenant(2))
      const models = memoryProjectionStore()
      let refusals = 3
      models.onApply((_, position) => {
        if (position === 2 && refusals-- > 0) throw new Unavailable('disk I/O error')
      })
      const said: (string | undefined)[] = []
      const { at } = await follow({
        log,
        models,
        batch: 1,
        projections: [projection('records')],
        pause: async () => {},
        onStatus: ([status]) => {
          if (said.at(-1) !== status?.trouble) said.push(status?.trouble)
        },
      })
      await until(() => at('records').position === 2 && at('records').trouble === undefined)
      expect(said).to.deep.equal(['disk I/O error', undefined])
    })

    it('subscribes again from what it has handled', async () => {
      const log = await logOf(tenant(1), tenant(2), tenant(3))
      const asked: Position[] = []
      const breaking: Pick<EventStore, 'subscribe'> = {
        async *subscribe(after) {
          asked.push(after)
          for await (const batch of memoryEventStore({ log, batch: 1 }).subscribe(after)) {
            yield batch
            if (asked.length === 1 && batch.position === 2) throw new Unavailable('the connection was lost')
          }
        },
      }
      const { at, applied } = await follow({ log, events: breaking, projections: [projection('records')] })
      await eventually(() => at('records').position === 3)
      expect(asked).to.deep.equal([0, 2])
      expect(applied).to.have.length(3)
    })

    it('can be resumed and stopped while it waits to try again', async () => {
      const down: Pick<EventStore, 'subscribe'> = {
        async *subscribe() {
          throw new Unavailable('the store is down')
        },
      }
      const { stop, resume } = await follow({
        log: memoryLog(),
        events: down,
        projections: [projection('records')],
      })
      await until(() => troubles().length === 1)
      resume('records')
      await until(() => troubles().length === 2)
      await stop()
      const before = troubles().length
      await quiet()
      expect(troubles()).to.have.length(before)
    })
  })

  describe('ends', () => {
    it('when it is stopped: after the batch at hand, and then applies nothing more', async () => {
      const log = await logOf(tenant(1))
      const { at, stop, applied } = await follow({ log, projections: [projection('records')] })
      await until(() => at('records').position === 1)
      await stop()
      await more(log, tenant(2))
      await quiet()
      expect(applied).to.have.length(1)
    })

    it('when the event store is closed', async () => {
      const log = await logOf(tenant(1))
      const events = memoryEventStore({ log })
      const { at, applied } = await follow({ log, events, projections: [projection('records')] })
      await until(() => at('records').position === 1)
      await events.close()
      await quiet()
      await more(log, tenant(2))
      await quiet()
      expect([applied.length, troubles()]).to.deep.equal([1, []])
    })
  })
})
