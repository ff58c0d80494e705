/**
 * From the server's events and positions to ours.
 *
 * A position of the server is a pair, commit and prepare. Ours is one number, the commit position, and stands only for
 * pairs whose two halves are equal: that is every event appended by this adapter. The server also names places between
 * events (a checkpoint `{commit: 500, prepare: 0}` means "500 is next"); taken as position 500, the event that comes to
 * stand there would be passed over for ever.
 */
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { isObject } from '../../domain/fields/field-values.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { readStored } from '../../domain/events/upcast.ts'

export interface ServerPosition {
  readonly commit: bigint
  readonly prepare: bigint
}

export interface ServerEvent {
  readonly id: string
  readonly streamId: string
  readonly revision: bigint
  readonly type: string
  readonly isJson: boolean
  readonly data: unknown
  readonly metadata: unknown
  readonly position?: ServerPosition
}

/** What the server sends when it does not know the position. */
const NOWHERE = 2n ** 64n - 1n

/** Our number for it; undefined for a place that is no event's. @throws RangeError past 2^53 - 1 */
export function positionOf(position: ServerPosition | undefined): Position | undefined {
  if (!position || position.commit !== position.prepare || position.commit === NOWHERE) return undefined
  const number = Number(position.commit)
  if (!Number.isSafeInteger(number)) throw new RangeError(`position ${position.commit} is past 2^53 - 1`)
  return number
}

/** The place of a position that was given out by `positionOf`. */
export const serverPosition = (position: Position): ServerPosition => ({
  commit: BigInt(position),
  prepare: BigInt(position),
})

/**
 * The event in our form and the newest shape, marked when it cannot be read; undefined when it was not written by this
 * service. A record's stream is ours whatever stands in it, any other stream by the company that its events name.
 */
export function recorded(event: ServerEvent): RecordedEvent | undefined {
  const { data, metadata, id, type, streamId } = event
  const company =
    isObject(metadata) && typeof metadata['company'] === 'string' ? metadata['company'] : undefined
  const isOurs = event.isJson && company !== undefined && isObject(data)
  if (!isOurs && objectOfKey(streamId) === undefined) return undefined
  const position = positionOf(event.position)
  if (position === undefined) return undefined
  return readStored({
    id,
    type,
    stream: streamId,
    version: Number(event.revision) + 1,
    position,
    company: company ?? '',
    parse: () => {
      if (!event.isJson) throw new Error('it is not JSON')
      if (company === undefined) throw new Error('its metadata names no company')
      return { data, metadata }
    },
  })
}
