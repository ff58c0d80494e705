/**
 * Which master key the service's secrets are sealed with, recorded in the events by its name: a start with other keys is
 * refused, before anything is sealed with them. Nobody finds the key by its name.
 */
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'

export interface MasterKeyRecord {
  /** Name of the key that seals; undefined in a store that has none yet. @throws Unavailable */
  last(): Promise<string | undefined>
  /** From now on it seals. @throws Unavailable */
  use(name: string): Promise<void>
}

const STREAM = 'masterkey'

export function masterKeyRecord({
  events,
  now,
}: {
  readonly events: Pick<EventStore, 'append' | 'last'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}): MasterKeyRecord {
  return {
    last: async () => (await events.last(SYSTEM, STREAM))?.data['Name'] as string | undefined,
    async use(name) {
      for (;;) {
        const last = await events.last(SYSTEM, STREAM)
        if (last?.data['Name'] === name) return
        const expected = last?.version ?? 0
        const event = ownEvent({
          stream: STREAM,
          type: 'masterkey.used',
          data: { Name: name },
          now: now(),
          command: derivedId(`${STREAM}/${expected}/${name}`),
          name: 'useMasterKey',
        })
        await appendIfFirst(events, { company: SYSTEM, stream: STREAM, expected, events: [event] })
      }
    },
  }
}
