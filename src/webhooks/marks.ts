/**
 * Marks in the event log: up to where everything was delivered to an endpoint. An outbox that was lost is filled again from
 * there, so that its loss costs repeats and no delivery.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Marking } from '../ports/outbox.ts'

export interface MarksOptions {
  readonly outbox: Marking
  /** Stores the mark in the event log. */
  readonly mark: (company: Company, endpoint: string, upTo: Position) => Promise<void>
  /** Monotonic, in ms. */
  readonly elapsed: () => number
}

export interface Marks {
  /** A delivery to the endpoint has been settled. */
  settled(endpoint: string): void
  /** Stores the marks that are due. @throws Unavailable when the outbox or the events are away: they stay due */
  store(): Promise<void>
}

/** What is repeated at most when the outbox is lost: this many deliveries of an endpoint, or those of this time. */
const DELIVERIES = 1_000
const INTERVAL_MS = 3_600_000

export function marks({ outbox, mark, elapsed }: MarksOptions): Marks {
  const open = new Map<string, { count: number; readonly since: number }>()
  return {
    settled(endpoint) {
      const one = open.get(endpoint)
      if (one) one.count++
      else open.set(endpoint, { count: 1, since: elapsed() })
    },
    async store() {
      for (const [endpoint, { count, since }] of open) {
        if (count < DELIVERIES && elapsed() - since < INTERVAL_MS) continue
        const found = await outbox.deliveredUpTo(endpoint)
        if (found) await mark(found.company, endpoint, found.upTo)
        open.delete(endpoint)
      }
    },
  }
}

/** The stream of an endpoint's marks: not a Key, so that it is not a record. */
export const marksOf = (endpoint: string): string => `delivery-${endpoint}`
export const MARKED = 'delivery.marked'

/** What the marks say; 0: nothing. */
export async function markedUpTo(
  events: Pick<EventStore, 'read'>,
  company: Company,
  endpoint: string,
): Promise<Position> {
  const upTo = (await events.read(company, marksOf(endpoint))).at(-1)?.data['UpTo']
  return typeof upTo === 'number' ? upTo : 0
}
