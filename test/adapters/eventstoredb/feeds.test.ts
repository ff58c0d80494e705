/** Followers of one store share subscriptions of the server as far as they are at the same place. */
import { expect } from 'chai'
import { feeds } from '../../../src/adapters/eventstoredb/feeds.ts'
import type { Position, RecordedEvent } from '../../../src/domain/events/event.ts'
import type { EventBatch } from '../../../src/ports/event-store.ts'
import { collect, idsOf, storesOnPeers, until } from '../stores-on-peers.ts'

/** A log of events at positions 1, 2, 3, …, one a batch, and the subscriptions to it that are open. */
function log() {
  const open: Position[] = []
  let head = 0
  let failure: Error | undefined
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const subscribe = feeds((after) => {
    open.push(after)
    let reached = after
    let left = false
    const close = () => void (left || open.splice(open.indexOf(after), 1), (left = true))
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          while (reached === head && !left && !failure) await changed.promise
          if (failure) throw (close(), failure)
          if (left) return { value: undefined, done: true as const }
          reached++
          const batch: EventBatch = { events: [{ position: reached } as RecordedEvent], position: reached }
          return { value: batch, done: false as const }
        },
        async return() {
          close()
          change()
          return { value: undefined, done: true as const }
        },
      }),
    }
  })
  return {
    open,
    grow(count: number) {
      head += count
      change()
    },
    fail(error: Error | undefined) {
      failure = error
      change()
    },
    follow(after: Position) {
      const batches = subscribe(after)[Symbol.asyncIterator]()
      return {
        /** Positions of so many events. */
        async take(count: number): Promise<Position[]> {
          const taken: Position[] = []
          while (taken.length < count)
            taken.push(...((await batches.next()).value?.events ?? []).map(({ position }) => position))
          return taken
        },
        next: () => batches.next(),
        leave: () => batches.return!(),
      }
    },
  }
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe('followers of an event store on EventStoreDB', () => {
  it('share one subscription from the start when they begin at the same place', async () => {
    const events = log()
    const [a, b] = [events.follow(0), events.follow(0)]
    const taking = [a.take(3), b.take(3)]
    events.grow(3)
    expect(await Promise.all(taking)).to.deep.equal([
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect(events.open).to.deep.equal([0])
  })

  it('share one from when the later has caught up', async () => {
    const events = log()
    events.grow(100)
    const [a, b] = [events.follow(100), events.follow(0)]
    const live = a.take(2)
    expect(await b.take(100)).to.deep.equal(upTo(1, 100))
    expect(events.open).to.deep.equal([100, 0])
    const following = b.take(2)
    events.grow(2)
    expect([await live, await following]).to.deep.equal([upTo(101, 102), upTo(101, 102)])
    expect(events.open).to.deep.equal([100])
  })

  it('are not held back by a slow one, which goes on by itself and misses nothing', async () => {
    const events = log()
    const [fast, slow] = [events.follow(0), events.follow(0)]
    const first = slow.take(1)
    events.grow(1)
    await first
    events.grow(49)
    expect(await fast.take(50)).to.deep.equal(upTo(1, 50))
    expect(await slow.take(20)).to.deep.equal(upTo(2, 21))
    expect(events.open).to.deep.equal([0, 1])
    expect(await slow.take(29)).to.deep.equal(upTo(22, 50))
    const [both, last] = [fast.take(1), slow.take(1)]
    events.grow(1)
    expect([await both, await last]).to.deep.equal([[51], [51]])
    expect(events.open).to.have.length(1)
  })

  it('may leave, also while they wait, and the subscription ends with the last of them', async () => {
    const events = log()
    const [a, b] = [events.follow(0), events.follow(0)]
    const [waiting, going] = [a.next(), b.take(1)]
    await a.leave()
    expect((await waiting).done).to.equal(true)
    expect(events.open).to.have.length(1)
    events.grow(1)
    expect(await going).to.deep.equal([1])
    await b.leave()
    expect(events.open).to.deep.equal([])
    expect((await b.next()).done).to.equal(true)
  })

  it('all hear of the error that ends it, and begin again from where they are', async () => {
    const events = log()
    const [a, b] = [events.follow(0), events.follow(0)]
    const lost = new Error('lost')
    const waiting = [a, b].map((one) => one.next().catch((error: unknown) => error))
    events.fail(lost)
    expect(await Promise.all(waiting)).to.deep.equal([lost, lost])
    expect(events.open).to.deep.equal([])
    events.fail(undefined)
    events.grow(1)
    expect(await events.follow(0).take(1)).to.deep.equal([1])
  })

  const { peerOf, storeAt, append, events: newOnes } = storesOnPeers()

  it('are one subscriber at the server, and each gets every event', async () => {
    const peer = await peerOf()
    const store = storeAt({ url: peer.url })
    const appended = newOnes(600)
    await append(store, 0, ...appended.slice(0, 300))
    const collecting = [0, 0, 0].map((after) => collect(store, after, 600))
    await until(() => peer.observed().subscribers === 1)
    await append(store, 300, ...appended.slice(300))
    for (const collected of await Promise.all(collecting))
      expect(idsOf(collected)).to.deep.equal(idsOf(appended))
    await until(() => peer.observed().subscribers === 0)
    expect(peer.observed().subscribed).to.equal(1)
  })
})
