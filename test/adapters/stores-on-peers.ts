/** What the tests of the event store on EventStoreDB share: peers and stores that go with the test, and what they look at. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type EventStoreDbSettings, eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import type { NewEvent, Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { Appended, EventBatch, EventStore } from '../../src/ports/event-store.ts'
import { type Peer, type PeerSettings, startPeer } from '../peers/eventstoredb/start-peer.ts'
import { freshCompany, freshStream, newEvent, newEvents } from '../support/events.ts'

export interface StoresOnPeers {
  readonly company: string
  /** Another one for each test. */
  stream(): string
  peerOf(settings?: PeerSettings): Promise<Peer>
  storeAt(settings: EventStoreDbSettings): EventStore
  /** Done after the test, the last first. */
  afterwards(step: () => Promise<unknown>): void
  event(): NewEvent
  events(count: number): NewEvent[]
  /** To the stream of the test. */
  append(store: EventStore, expected: number, ...appended: NewEvent[]): Promise<Appended>
}

/** To be called where tests are described. */
export function storesOnPeers(): StoresOnPeers {
  const company = freshCompany()
  let undo: (() => Promise<unknown>)[] = []
  let stream: string

  beforeEach(() => {
    stream = freshStream()
  })
  afterEach(async () => {
    for (const step of undo.reverse()) await step()
    undo = []
  })

  return {
    company,
    stream: () => stream,
    async peerOf(settings = {}) {
      const peer = await startPeer(settings)
      undo.push(() => peer.stop())
      return peer
    },
    storeAt(settings) {
      const store = eventStoreDbStore(settings)
      undo.push(() => store.close())
      return store
    },
    afterwards: (step) => void undo.push(step),
    event: () => newEvent({ company }),
    events: (count) => newEvents(count, { company }),
    append: (store, expected, ...appended) => store.append({ company, stream, expected, events: appended }),
  }
}

/** The events after a position, in the order of the store; checks that positions increase. */
export async function collect(store: EventStore, after: Position, count: number): Promise<RecordedEvent[]> {
  const collected: RecordedEvent[] = []
  let reached = after
  for await (const batch of store.subscribe(after)) {
    for (const event of batch.events) {
      expect(event.position).to.be.greaterThan(reached)
      reached = event.position
      collected.push(event)
    }
    expect(batch.position).to.be.at.least(reached)
    reached = batch.position
    if (collected.length >= count) break
  }
  return collected
}

export async function batchOf(batches: AsyncIterator<EventBatch>): Promise<EventBatch> {
  const next = await batches.next()
  if (next.done) throw new Error('the subscription ended')
  return next.value
}

/** Looks again and again; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

export const idsOf = (events: readonly NewEvent[]): string[] => events.map(({ id }) => id)

export const rejection = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    (value) => Promise.reject(new Error(`expected a rejection, got ${JSON.stringify(value)}`)),
    (reason: unknown) => reason,
  )
