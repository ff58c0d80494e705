/**
 * Whether the keys of companies are those that the events were written with. Names of claims depend on them: with other
 * keys unique values would be given a second time, unnoticed.
 */
import { SYSTEM, type NewEvent } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { appendIfFirst } from './append-if-first.ts'
import { derivedId } from './identifiers.ts'
import { ownEvent } from './own-event.ts'

export interface CheckKeys {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly store: Pick<KeyStore, 'id'>
  /** Where the keys are, for the message. */
  readonly place: string
  readonly now: () => number
}

/** The stream of the events that say which keys count; the last one does. */
const STREAM = 'keys'

/** @throws Error when the events name other keys */
export async function checkKeys({ events, store, place, now }: CheckKeys): Promise<void> {
  const id = await store.id()
  for (;;) {
    const last = await events.last(SYSTEM, STREAM)
    if (last?.data['Id'] === id) return
    if (last)
      throw new Error(
        `The keys of companies in ${place} are not those that this store was written with. Restore them from the backup; without them, see "npm run restore -- --without-keys".`,
      )
    const opened = keysOpened(id, now())
    await appendIfFirst(events, { company: SYSTEM, stream: STREAM, expected: 0, events: [opened.event] })
  }
}

/** The event that says which keys count from now on, and its stream. */
export function keysOpened(id: string, now: number): { readonly stream: string; readonly event: NewEvent } {
  const command = derivedId(`${STREAM}/${id}`)
  const data = { Id: id }
  return {
    stream: STREAM,
    event: ownEvent({ stream: STREAM, type: 'keys.opened', data, now, command, name: 'open' }),
  }
}
