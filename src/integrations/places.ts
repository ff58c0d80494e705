/** Whose an integration is: its address names it alone, for who sends to it knows nothing of companies. */
import { hash } from 'node:crypto'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { ownEvent } from '../commands/support/own-event.ts'
import { SYSTEM, type Company } from '../domain/events/event.ts'
import { recentlyUsed } from '../domain/recently-used.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { EventStore } from '../ports/event-store.ts'
import { INTEGRATION } from './objects.ts'

export interface IntegrationPlaces {
  /** Makes the Key lead to the company; done before the integration is there. */
  point(key: string, company: Company, by: { readonly command: string; readonly now: number }): Promise<void>
  find(key: string): Promise<Company | undefined>
}

const REMEMBERED = 10_000

export function integrationPlaces(events: Pick<EventStore, 'append' | 'last'>): IntegrationPlaces {
  const known = recentlyUsed<Company>(REMEMBERED)
  // Not a Key: such streams are of records.
  const streamOf = (key: string) => `integrationplace-${hash('sha256', key).slice(0, 40)}`
  return {
    async point(key, company, { command, now }) {
      const stream = streamOf(key)
      const data = { Company: company, Integration: key }
      const event = ownEvent({ stream, type: 'integrationplace.made', data, now, command, name: 'point' })
      await appendIfFirst(events, { company: SYSTEM, stream, expected: 0, events: [event] })
    },
    async find(key) {
      if (!isKeyOf(INTEGRATION, key)) return undefined
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const made = await events.last(SYSTEM, streamOf(key))
      const company = made?.data['Company'] as string | undefined
      if (company !== undefined) known.set(key, company)
      return company
    },
  }
}
