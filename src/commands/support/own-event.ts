/** Events of what the service does by itself, in streams that do not belong to a record. */
import { SYSTEM, type Company, type NewEvent } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { eventId } from './identifiers.ts'
import { ownMetadata } from './metadata.ts'

export interface OwnEvent {
  /** Whose stream it is; without it nobody's but the service's. */
  readonly company?: Company
  readonly stream: string
  readonly type: string
  readonly data: Fields
  /** In ms since 1970. */
  readonly now: number
  /** UUID: an append with the same one is a repeat. */
  readonly command: string
  /** What is being done. */
  readonly name: string
}

export function ownEvent({ company = SYSTEM, stream, type, data, now, command, name }: OwnEvent): NewEvent {
  const metadata = ownMetadata(company, command, { type, command: name, now })
  return { id: eventId(command, stream, 0), type, data, metadata }
}
