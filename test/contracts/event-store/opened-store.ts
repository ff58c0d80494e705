/** The store of a test of the contract: open, with a company and a stream of the test's own. */
import { expect } from 'chai'
import type { Company, NewEvent, Position, RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Appended, EventBatch, EventStore } from '../../../src/ports/event-store.ts'
import { freshCompany, freshStream, type GivenEvent, newEvent, newEvents } from '../../support/events.ts'

export interface OpenedStore {
  readonly store: EventStore
  readonly company: Company
  stream: string
  /** Closes it, and opens it again. */
  reopen(): Promise<void>
  close(): Promise<void>
  event(given?: GivenEvent): NewEvent
  events(count: number): NewEvent[]
  /** To the stream of the test. */
  append(expected: number, ...appended: NewEvent[]): Promise<Appended>
  /** To one that is not there. */
  appendTo(other: string, ...appended: NewEvent[]): Promise<Appended>
  /** The stream of the test, as it is read. */
  stored(): Promise<readonly RecordedEvent[]>
  /** The company's events after a position, until there are so many of them. */
  collect(after: Position, count: number): Promise<RecordedEvent[]>
}

/** To be called where tests are described. */
export function openedStore(open: () => Promise<EventStore>): OpenedStore {
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
  const close = async () => {
    if (isOpen) await store.close()
    isOpen = false
  }
  afterEach(close)

  return {
    get store() {
      return store
    },
    get company() {
      return company
    },
    get stream() {
      return stream
    },
    set stream(another) {
      stream = another
    },
    async reopen() {
      await close()
      store = await open()
      isOpen = true
    },
    close,
    event: (given = {}) => newEvent({ company, ...given }),
    events: (count) => newEvents(count, { company }),
    append: (expected, ...appended) => store.append({ company, stream, expected, events: appended }),
    appendTo: (other, ...appended) => store.append({ company, stream: other, expected: 0, events: appended }),
    stored: () => store.read(company, stream),
    collect: (after, count) => collectFrom(store.subscribe(after), after, company, count),
  }
}

/** Collects a company's events and checks what every batch must hold. */
export async function collectFrom(
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

export const idsOf = (events: readonly NewEvent[]): string[] => events.map(({ id }) => id)

export const rejection = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    (value) => Promise.reject(new Error(`expected a rejection, got ${JSON.stringify(value)}`)),
    (reason: unknown) => reason,
  )
