/**
 * From the server's events and positions to ours.
 *
 * A position of the server is a pair, commit and prepare. Ours is one number, the commit position, and stands only for
 * pairs whose two halves are equal: that is every event appended by this adapter. The server also names places between
 * events (a checkpoint `{commit: 500, prepare: 0}` means "500 is next"); taken as position 500, the event that comes to
 * stand there would be passed over for ever.
 */
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { versionBefore } from '../../domain/events/packs.ts'
import { nameOfStream } from '../../domain/events/stream-name.ts'
import { readStored } from '../../domain/events/upcast.ts'
import { isObject } from '../../domain/json.ts'
import { Damaged } from './outcomes.ts'

/** Numbers past 2^53 are rounded. */
export interface ServerPosition {
  readonly commit: number
  readonly prepare: number
}

/** Data and metadata are as they are stored. */
export interface ServerEvent {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly isJson: boolean
  readonly data: string
  readonly metadata: string
  readonly position: ServerPosition
}

/** What the server sends when it does not know the position: 2^64 - 1, rounded. */
const NOWHERE = 2 ** 64

/** Our number for it; undefined for a place that is not an event's. @throws RangeError past 2^53 - 1 */
export function positionOf({ commit, prepare }: ServerPosition): Position | undefined {
  if (commit !== prepare || commit === NOWHERE) return undefined
  if (!Number.isSafeInteger(commit)) throw new RangeError(`position ${commit} is past 2^53 - 1`)
  return commit
}

/** @param stream with its shard or without */
export const versionOf = (revision: number, stream: string): number => revision + 1 + versionBefore(stream)

/** The revision of the first event with a version greater than this. */
export const revisionAfter = (version: number, stream: string): number =>
  Math.max(0, version - versionBefore(stream))

/**
 * The event in our form and the newest shape, marked when it cannot be read; undefined when it was not written by this
 * service. That shows in its metadata only: other applications may use any stream name.
 * @throws Damaged when it is ours but has no position of its own
 */
export function recorded(event: ServerEvent): RecordedEvent | undefined {
  const metadata = metadataOf(event.metadata)
  if (!metadata) return undefined
  const { id, type } = event
  const stream = nameOfStream(event.stream)
  // Also what carries our metadata: a stream that has not a name of ours was written by somebody who copied it.
  if (stream === undefined) return undefined
  const position = positionOf(event.position)
  if (position === undefined)
    throw new Damaged(`${type} of ${stream} (event ${id}) has no position of its own in the event store`)
  return readStored({
    id,
    type,
    stream,
    version: versionOf(event.revision, stream),
    position,
    company: metadata.company,
    text: { data: event.data, metadata: event.metadata },
    parse: () => {
      if (!event.isJson) throw new Error('it is not JSON')
      return { data: JSON.parse(event.data) as unknown, metadata }
    },
  })
}

/** The metadata if it is of this service: every envelope has had these members. */
export function metadataOf(text: string): { readonly company: string } | undefined {
  if (text === '') return undefined
  try {
    const metadata: unknown = JSON.parse(text)
    const isOurs =
      isObject(metadata) &&
      ['company', 'actor', 'command'].every((name) => typeof metadata[name] === 'string')
    return isOurs ? (metadata as unknown as { company: string }) : undefined
  } catch {
    return undefined
  }
}
