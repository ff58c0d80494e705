/** Events of what the service does by itself, in streams that are no record's. */
import { SYSTEM, type Company, type NewEvent } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { SCHEMA } from '../../domain/events/upcast.ts'
import { eventId } from './identifiers.ts'

export interface OwnEvent {
  /** Whose stream it is; without it nobody's but the service's. */
  readonly company?: Company
  readonly stream: string
  readonly type: string
  readonly data: Fields
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string
  /** UUID: an append with the same one is a repeat. */
  readonly command: string
  /** What is being done. */
  readonly name: string
}

export function ownEvent({ company = SYSTEM, stream, type, data, at, command, name }: OwnEvent): NewEvent {
  const metadata = {
    company,
    actor: SYSTEM,
    at,
    correlation: command,
    command: name,
    schema: SCHEMA,
  } as const
  return { id: eventId(command, stream, 0), type, data, metadata }
}
