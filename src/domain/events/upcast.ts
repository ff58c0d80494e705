/**
 * Where events of earlier shapes are read: each is brought to the newest shape, step by step, on its way out of a store.
 * So nothing else in the service knows that there ever was another.
 *
 * Two things have versions. The envelope is what every event's metadata holds. The schema is the shape of one event type's
 * data; types evolve one by one, so that a newer shape of one does not stop those who need another. Whenever one of them
 * changes: raise its number, add the step that leads to it, and freeze the old shape in `test/corpus`, whose files are
 * never changed. What is stored stays as it is.
 */
import { Unavailable, messageOf } from '../errors.ts'
import { isObject } from '../json.ts'
import { SYSTEM, type EventMetadata, type RecordedEvent } from './event.ts'
import { splitReason, type WrittenText } from './written-text.ts'

/** The envelope that this version of the service writes, and the newest that it understands. */
export const ENVELOPE = 2

/** Event types whose data has had more than one shape; of all others it is the first. */
const SCHEMAS: Readonly<Record<string, number>> = { 'request.answered': 2 }

/** The shape of the type's data that this version of the service writes, and the newest that it understands. */
export const schemaOf = (type: string): number => SCHEMAS[type] ?? 1

/** From one shape of a type to the next: `steps[type][1]` leads from shape 1 to shape 2. */
export type UpcastSteps = {
  readonly [type: string]: { readonly [from: number]: (event: RecordedEvent) => RecordedEvent }
}

const STEPS: UpcastSteps = {
  'request.answered': {
    /** Answers were kept in clear, under other names. */
    1: ({ data: { status, headers, body }, ...event }) => ({
      ...event,
      data: { Status: status ?? null, Headers: headers ?? null, Body: body ?? null },
    }),
  },
}

/** The event in the newest shape. One of a later shape than is known here stays as it is: readers have to refuse it. */
export const upcast = upcaster(STEPS, schemaOf)

/** @param newestOf the shape that the steps of a type lead to */
export function upcaster(
  steps: UpcastSteps,
  newestOf: (type: string) => number,
): (event: RecordedEvent) => RecordedEvent {
  return (event) => {
    const stored = event.metadata.schema
    const newest = newestOf(event.type)
    if (stored >= newest) return event
    let current = event
    for (let schema = stored; schema < newest; schema++) {
      const step = steps[event.type]?.[schema]
      if (!step) throw new Error(`${event.type} of ${event.stream}: no step leads on from shape ${schema}`)
      current = step(current)
    }
    return { ...current, metadata: { ...current.metadata, schema: newest } }
  }
}

/** The metadata of the first envelope: written before there was a second clock, a source, or a shape for each type. */
interface FirstEnvelope {
  readonly company: string
  readonly actor: string
  readonly at: string
  readonly correlation: string
  readonly command: string
  readonly reason?: string
  readonly schema: number
}

/** From the first envelope to the second. Its times were those of one clock, and its reason lay in the metadata. */
function fromFirstEnvelope({
  company,
  actor,
  at,
  correlation,
  command,
  schema,
}: FirstEnvelope): EventMetadata {
  return {
    envelope: ENVELOPE,
    company,
    actor,
    at,
    recordedAt: at,
    $correlationId: correlation,
    command,
    source: actor === SYSTEM ? 'system' : 'api',
    schema,
  }
}

/** An event as a store has it: what data and metadata hold is not known until it was looked at. */
export interface StoredEvent extends Omit<
  RecordedEvent,
  'data' | 'reason' | 'metadata' | 'unreadable' | 'stored'
> {
  readonly company: string
  readonly text: WrittenText
  /** Parses what was stored; may throw. */
  readonly parse: () => { readonly data: unknown; readonly metadata: unknown }
}

/** The stored event in the newest shape; or as one that cannot be read, with the reason. */
export function readStored(event: StoredEvent): RecordedEvent {
  // Every event that is followed comes through here, in several threads: copies by `...` would cost as much as parsing.
  const { position, stream, version, id, type } = event
  try {
    const stored = event.parse()
    if (!isObject(stored.data)) throw new Error('its data is not an object')
    if (!isObject(stored.metadata) || !Number.isSafeInteger(stored.metadata['schema']))
      throw new Error('its metadata does not name a schema')
    if (stored.metadata['envelope'] === undefined) {
      const first = stored.metadata as unknown as FirstEnvelope
      const metadata = fromFirstEnvelope(first)
      const reason = first.reason === undefined ? {} : { reason: first.reason }
      return upcast({ position, stream, version, id, type, data: stored.data, metadata, ...reason })
    }
    const metadata = stored.metadata as unknown as EventMetadata
    const { data, reason } = splitReason(stored.data)
    if (reason === undefined) return upcast({ position, stream, version, id, type, data, metadata })
    return upcast({ position, stream, version, id, type, data, metadata, reason })
  } catch (error) {
    const unreadable = reasonOf(error)
    const metadata = unknownMetadata(event.company)
    return { position, stream, version, id, type, data: {}, metadata, unreadable, stored: event.text }
  }
}

/** The metadata of an event that cannot be read: at best its company is known. */
function unknownMetadata(company: string): EventMetadata {
  return {
    envelope: ENVELOPE,
    company,
    actor: '',
    at: '',
    recordedAt: '',
    $correlationId: '',
    command: '',
    source: '',
    schema: 1,
  }
}

/** What a parser says of broken JSON quotes it, and this reason is shown and logged where no record may be. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not valid JSON'
  return messageOf(error)
}

/**
 * For readers of whole streams, who must not fold what they do not understand.
 * @throws Error for an event that cannot be read
 * @throws Unavailable for one that a newer version of the service wrote: that version can still answer
 */
export function requireReadable(event: RecordedEvent): void {
  const { type, stream, version, unreadable } = event
  if (unreadable !== undefined)
    throw new Error(`${type}, version ${version} of ${stream}, cannot be read: ${unreadable}`)
  const newer = newerThanKnown(event)
  if (newer !== undefined)
    throw new Unavailable(`A newer version of the service wrote this record: ${newer}.`)
}

/** Why this version of the service does not understand a readable event; undefined when it does. */
export function newerThanKnown({ type, stream, metadata }: RecordedEvent): string | undefined {
  // As numbers: what was stored by a later version is not what the types say.
  const { envelope, schema }: { readonly envelope: number; readonly schema: number } = metadata
  if (envelope > ENVELOPE)
    return `${type} of ${stream} has envelope ${envelope}; this version of the service reads up to ${ENVELOPE}`
  const newest = schemaOf(type)
  if (schema > newest)
    return `${type} of ${stream} has shape ${schema}; this version of the service reads up to ${newest}`
  return undefined
}

/** @throws Error for an event that cannot be read, or that is of a later shape than this version knows */
export function requireUnderstood(event: RecordedEvent): void {
  const { type, stream, version, unreadable } = event
  if (unreadable !== undefined)
    throw new Error(`${type}, version ${version} of ${stream}, cannot be read: ${unreadable}`)
  const newer = newerThanKnown(event)
  if (newer !== undefined) throw new Error(newer)
}
