/**
 * Which key each company's claims are named with, recorded in the events: a key that is missing from its store, or is another
 * than it was, is noticed before unique values are given a second time. Nobody finds the key by its fingerprint.
 */
import type { Company } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { ownEvent } from '../../commands/support/own-event.ts'

export interface KeyRecords {
  /** The fingerprint of the company's key; undefined where none has been made. @throws Unavailable */
  of(company: Company): Promise<string | undefined>
  /** Records it unless there is one, and answers the one that counts. `anyway`: it counts from now on. @throws Unavailable */
  add(company: Company, fingerprint: string, anyway?: boolean): Promise<string>
}

export interface KeyRecordsOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function keyRecords({ events, now }: KeyRecordsOptions): KeyRecords {
  const lastOf = (company: Company) => events.last(company, streamOf(company))
  return {
    of: async (company) => fingerprintIn(await lastOf(company)),
    async add(company, fingerprint, anyway = false) {
      for (;;) {
        const last = await lastOf(company)
        const recorded = fingerprintIn(last)
        if (recorded !== undefined && (!anyway || recorded === fingerprint)) return recorded
        const [stream, expected] = [streamOf(company), last?.version ?? 0]
        const event = ownEvent({
          company,
          stream,
          type: 'keys.made',
          data: { Fingerprint: fingerprint },
          now: now(),
          command: derivedId(`${stream}/${expected}/${fingerprint}`),
          name: 'makeKey',
        })
        await appendIfFirst(events, { company, stream, expected, events: [event] })
      }
    },
  }
}

const streamOf = (company: Company) => `keys-${company}`

const fingerprintIn = (last: { readonly data: { readonly [name: string]: unknown } } | undefined) =>
  last?.data['Fingerprint'] as string | undefined
