/**
 * An event as it is stored: two JSON texts, the same to the byte on every engine. Later they are hashed, so what writes
 * them is only here, and what has been written is never written again.
 */
import type { Fields } from '../json.ts'
import type { NewEvent, RecordedEvent } from './event.ts'

export interface WrittenText {
  readonly data: string
  readonly metadata: string
}

/** The member of the stored data that holds the reason. No field can have the name: field names have no `$`. */
const REASON = '$reason'

export function writtenText({
  data,
  reason,
  metadata,
}: Pick<NewEvent, 'data' | 'reason' | 'metadata'>): WrittenText {
  return {
    data: JSON.stringify(reason === undefined ? data : { ...data, [REASON]: reason }),
    metadata: JSON.stringify(metadata),
  }
}

/** The texts of an event that was stored: also of one that cannot be read. */
export function textOf(event: RecordedEvent): WrittenText {
  return event.stored ?? writtenText(event)
}

/** The fields and the reason of stored data. */
export function splitReason(stored: Fields): { readonly data: Fields; readonly reason?: string } {
  if (!Object.hasOwn(stored, REASON)) return { data: stored }
  const { [REASON]: reason, ...data } = stored
  return { data, ...(typeof reason === 'string' && { reason }) }
}
