/**
 * What is checked before anything is sent. The server answers a malformed append without saying what is wrong with it,
 * and an event that it took can never be taken back.
 */
import { TooLarge } from '../../domain/errors.ts'
import type { Append } from '../../ports/event-store.ts'

/** The server's default: the data of all events of one append, as JSON in UTF-8. */
export const MAX_APPEND_BYTES = 1_048_576

const UUID = /^(?!0{8}-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const STREAM = /^[A-Za-z0-9-]+$/

/** Whether a stream of this name can exist. */
export const isStreamName = (name: string): boolean => STREAM.test(name)

/**
 * @throws TypeError naming what is malformed
 * @throws TooLarge when the data exceed `MAX_APPEND_BYTES`
 */
export function checkAppend({ company, stream, expected, events }: Append): void {
  if (!isStreamName(stream)) throw malformed('stream', stream, 'letters, digits and -')
  if (!Number.isSafeInteger(expected) || expected < 0)
    throw malformed('expected version', expected, '0 or more')
  if (events.length === 0) throw new TypeError(`append to ${stream}: there is no event in it`)
  let bytes = 0
  for (const { id, type, data, metadata } of events) {
    // Only this form is read back as it was written: the server puts ids into lower case.
    if (!UUID.test(id)) throw malformed('event id', id, 'a UUID in lower case')
    // `$` is the server's own: subscriptions pass such events over.
    if (typeof type !== 'string' || type === '' || type.startsWith('$'))
      throw malformed('event type', type, 'a name')
    if (metadata.company !== company) throw malformed('event company', metadata.company, company)
    bytes += Buffer.byteLength(JSON.stringify(data))
  }
  if (new Set(events.map(({ id }) => id)).size < events.length) {
    throw new TypeError(`append to ${stream}: an event id occurs twice in it`)
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new TooLarge(`append to ${stream}: ${bytes} bytes of data, ${MAX_APPEND_BYTES} are the limit`)
  }
}

const malformed = (what: string, value: unknown, wanted: string): TypeError =>
  new TypeError(`append: ${what} ${JSON.stringify(value)} is not ${wanted}`)
