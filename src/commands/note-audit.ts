/**
 * Reading the audit is itself on record. Each reading is a stream of its own, so that readers never wait for each other
 * and nothing has to be read before.
 */
import type { Position } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Caller } from './command.ts'
import { eventId, type Identifiers } from './support/identifiers.ts'
import { metadataOf } from './support/metadata.ts'

/** The object that Keys and events of readings name; it has no definition and no read model. */
export const AUDIT = 'audit'

export type AuditEvent = 'audit.read' | 'audit.exported'

/** Stores that the caller reads the audit with these parameters, and answers the position of that event. */
export type NoteAudit = (caller: Caller, type: AuditEvent, parameters: Fields) => Promise<Position>

export interface NoteAuditOptions {
  readonly events: Pick<EventStore, 'append'>
  readonly identifiers: Identifiers
  readonly clock: Clock
}

export function noteAudit({ events, identifiers, clock }: NoteAuditOptions): NoteAudit {
  return async (caller, type, parameters) => {
    const { company, command, reason } = caller
    const stream = identifiers.newKey(AUDIT)
    const metadata = metadataOf(caller, { type, command: 'audit', now: clock.now() })
    const data = { Parameters: parameters }
    const event = {
      id: eventId(command, stream, 0),
      type,
      data,
      ...(reason !== undefined && { reason }),
      metadata,
    }
    return (await events.append({ company, stream, expected: 0, events: [event] })).position
  }
}
