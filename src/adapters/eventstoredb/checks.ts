/**
 * What is checked before anything is sent. The server answers a malformed append without saying what is wrong with it,
 * and an event that it took can never be taken back.
 */
import { TooLarge } from '../../domain/errors.ts'
import { versionBefore } from '../../domain/events/packs.ts'
import { streamOf } from '../../domain/events/stream-name.ts'
import { writtenText } from '../../domain/events/written-text.ts'
import type { Append } from '../../ports/event-store.ts'

/** The server's default: the data of all events of one append, as JSON in UTF-8. */
export const MAX_APPEND_BYTES = 1_048_576

const UUID = /^(?![0-]+$)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const STREAM = /^[A-Za-z0-9-]+$/

/** An event as it is sent: data and metadata are JSON in UTF-8. */
export interface CheckedEvent {
  readonly id: string
  readonly type: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface CheckedAppend {
  /** The stream as the service knows it, for errors. */
  readonly name: string
  /** The stream as the server knows it. */
  readonly stream: string
  /** How many events the server must have of it. */
  readonly revision: number
  /** The version of the stream when it has none: 1 for a row of a pack. */
  readonly before: number
  readonly events: readonly CheckedEvent[]
}

/** Whether a stream of this name can exist. */
export const isStreamName = (name: string): boolean => STREAM.test(name)

/**
 * @throws TypeError naming what is malformed
 * @throws TooLarge when the data exceed `MAX_APPEND_BYTES`
 */
export function checkedAppend({ company, stream, expected, events }: Append): CheckedAppend {
  if (!isStreamName(stream)) throw malformed('stream', stream, 'letters, digits and -')
  if (!Number.isSafeInteger(expected) || expected < 0)
    throw malformed('expected version', expected, '0 or more')
  if (events.length === 0) throw new TypeError(`append to ${stream}: there is no event in it`)
  let bytes = 0
  const checked = events.map(({ id, type, ...event }) => {
    // Only this form is read back as it was written: the server puts ids into lower case.
    if (!UUID.test(id)) throw malformed('event id', id, 'a UUID in lower case')
    // `$` is the server's own: subscriptions pass such events over.
    if (typeof type !== 'string' || type === '' || type.startsWith('$'))
      throw malformed('event type', type, 'a name')
    if (event.metadata.company !== company) throw malformed('event company', event.metadata.company, company)
    const { data, metadata } = writtenText(event)
    const sent = { id, type, data: Buffer.from(data), metadata: Buffer.from(metadata) }
    bytes += sent.data.length
    return sent
  })
  if (new Set(events.map(({ id }) => id)).size < events.length) {
    throw new TypeError(`append to ${stream}: an event id occurs twice in it`)
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new TooLarge(`append to ${stream}: ${bytes} bytes of data, ${MAX_APPEND_BYTES} are the limit`)
  }
  const before = versionBefore(stream)
  const revision = Math.max(0, expected - before)
  return { name: stream, stream: streamOf(company, stream), revision, before, events: checked }
}

const malformed = (what: string, value: unknown, wanted: string): TypeError =>
  new TypeError(`append: ${what} ${JSON.stringify(value)} is not ${wanted}`)
