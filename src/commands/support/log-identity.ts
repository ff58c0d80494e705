/** Which log this is: the id in its first event, `store.opened`. A store that has none is given one. */
import { randomUUID } from 'node:crypto'
import { SYSTEM } from '../../domain/events/event.ts'
import { STORE, storeOpened } from '../../domain/events/store-opened.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from './append-if-first.ts'

/**
 * The log's id. Several processes that ask a new store at once get the same answer.
 * @throws Unavailable when the store cannot be asked now
 */
export async function logIdentity(
  events: Pick<EventStore, 'append' | 'last'>,
  now: () => number,
): Promise<string> {
  for (;;) {
    const opened = await events.last(SYSTEM, STORE)
    if (opened) return opened.data['Id'] as string
    const first = storeOpened(randomUUID(), now())
    await appendIfFirst(events, { company: SYSTEM, stream: STORE, expected: 0, events: [first] })
  }
}
