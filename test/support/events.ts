/** Builders of events for tests: valid as they come, with fresh ids, so that tests can share a store with others. */
import { randomUUID } from 'node:crypto'
import type { Company, EventMetadata, NewEvent } from '../../src/domain/events/event.ts'
import { ENVELOPE } from '../../src/domain/events/upcast.ts'

/** What a test wants to say about an event; the rest is made up. */
export interface GivenEvent extends Partial<Omit<NewEvent, 'metadata'>> {
  readonly company?: Company
  readonly metadata?: Partial<EventMetadata>
}

export function newEvent({ company = 'company-1', metadata, ...given }: GivenEvent = {}): NewEvent {
  return {
    id: randomUUID(),
    type: 'contract.updated',
    data: { LeaseType: 'New' },
    ...given,
    metadata: {
      company,
      actor: 'user-1',
      envelope: ENVELOPE,
      at: '2026-03-01T09:30:00.000Z',
      recordedAt: metadata?.at ?? '2026-03-01T09:30:00.000Z',
      $correlationId: randomUUID(),
      command: 'update',
      source: 'api',
      schema: 1,
      ...metadata,
    },
  }
}

export const newEvents = (count: number, given: GivenEvent = {}): NewEvent[] =>
  Array.from({ length: count }, () => newEvent(given))

/** Looks like the Key of a record; nobody else has it. */
export const freshStream = (object = 'contract'): string => `${object}-${randomUUID().replaceAll('-', '')}`
export const freshCompany = (): Company => freshStream('company')
