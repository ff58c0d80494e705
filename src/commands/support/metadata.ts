/** The metadata of events: every event that the service appends gets it here. */
import type { ObjectDefinition } from '../../domain/definition.ts'
import { SYSTEM, type Company, type EventMetadata } from '../../domain/events/event.ts'
import { ENVELOPE, schemaOf } from '../../domain/events/upcast.ts'
import type { Caller } from '../command.ts'
import { definitionHash } from './definition-hash.ts'

export interface Circumstances {
  /** The event's type: the shape of its data is recorded with it. */
  readonly type: string
  /** The name of the command. */
  readonly command: string
  /** When it is decided, in ms since 1970. */
  readonly now: number
  /** The definition that judged it, where one did. */
  readonly definition?: ObjectDefinition
}

export function metadataOf(caller: Caller, { type, command, now, definition }: Circumstances): EventMetadata {
  const { company, actor, person, correlation, causation, source = 'api', repeatedFrom, quiet } = caller
  const recordedAt = new Date(now).toISOString()
  return {
    envelope: ENVELOPE,
    company,
    actor,
    ...(person !== undefined && person !== actor && { onBehalfOf: person }),
    at: repeatedFrom === undefined ? recordedAt : new Date(repeatedFrom).toISOString(),
    recordedAt,
    ...(quiet && { quiet }),
    $correlationId: correlation,
    ...(causation !== undefined && { $causationId: causation }),
    command,
    source,
    ...(definition && { definition: definitionHash(definition) }),
    schema: schemaOf(type),
  }
}

/** Of what the service does by itself. `correlation`: UUID of the work that led to it. */
export function ownMetadata(
  company: Company,
  correlation: string,
  { type, command, now }: Circumstances,
): EventMetadata {
  return metadataOf(
    { company, actor: SYSTEM, correlation, command: '', source: 'system' },
    { type, command, now },
  )
}

/**
 * When what is written happened (ISO 8601 UTC), for moments that a state notes. Undefined where a write does not say it: what an
 * import brings is of any time.
 */
export const momentOfWrite = ({ source, repeatedFrom }: Caller, now: number): string | undefined =>
  source?.startsWith('import:') ? undefined : new Date(repeatedFrom ?? now).toISOString()
