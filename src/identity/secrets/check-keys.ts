/**
 * Whether the keys of companies are those that the events were written with. Names of claims depend on them: with other
 * keys unique values would be given a second time, unnoticed.
 */
import { SYSTEM } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { ownEvent, type OwnEvent } from '../../commands/support/own-event.ts'

export interface CheckKeys {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly store: Pick<KeyStore, 'id'>
  /** Where the keys are, for the message. */
  readonly place: string
  readonly now: () => number
}

/** The stream of the events that say which keys count; the last one does. */
const STREAM = 'keys'

/** @throws Error when the events name other keys, or when claiming with new ones was cut off */
export async function checkKeys({ events, store, place, now }: CheckKeys): Promise<void> {
  const id = await store.id()
  for (;;) {
    const last = await events.last(SYSTEM, STREAM)
    if (last?.type === 'keys.opened' && last.data['Id'] === id) return
    if (last?.type === 'keys.renewing')
      throw new Error(
        'Values of unique fields are being claimed again, or that was cut off: run "npm run claim-again" to its end, with the same options as before.',
      )
    if (last)
      throw new Error(
        `The keys of companies in ${place} are not those that this store was written with. Restore them from the backup, or, ` +
          'where MONGODB_URL was added or removed, take them along with "npm run move-keys"; where they are lost, run ' +
          '"npm run claim-again -- --without-keys" while the service is stopped.',
      )
    await append(events, 0, { type: 'keys.opened', data: { Id: id }, now: now() })
  }
}

/** Records that the keys of this store count from now on. */
export async function openWith({ events, store, now }: Omit<CheckKeys, 'place'>): Promise<void> {
  await recordLast(events, { type: 'keys.opened', data: { Id: await store.id() }, now: now() })
}

/** Records that keys are being renewed: until some are opened, no service starts. */
export async function beginRenewing({ events, now }: Omit<CheckKeys, 'place' | 'store'>): Promise<void> {
  await recordLast(events, { type: 'keys.renewing', data: {}, now: now() })
}

type Drafted = Pick<OwnEvent, 'type' | 'data' | 'now'>

async function recordLast(events: CheckKeys['events'], draft: Drafted): Promise<void> {
  for (;;) {
    const last = await events.last(SYSTEM, STREAM)
    if (last?.type === draft.type && last.data['Id'] === draft.data['Id']) return
    await append(events, last?.version ?? 0, draft)
  }
}

async function append(events: CheckKeys['events'], expected: number, draft: Drafted): Promise<void> {
  const command = derivedId(`${STREAM}/${expected}/${draft.type}/${JSON.stringify(draft.data)}`)
  const event = ownEvent({ ...draft, stream: STREAM, command, name: 'open' })
  await appendIfFirst(events, { company: SYSTEM, stream: STREAM, expected, events: [event] })
}
