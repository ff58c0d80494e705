/** Reads that end: a stream, and the last position of the store. */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import type { StoredText } from '../../ports/event-store.ts'
import type { Reading } from './client.ts'
import type { Link } from './connection.ts'
import { Damaged, TimedOut } from './outcomes.ts'
import type { ReadAnswer } from './read-answers.ts'
import { metadataOf, positionOf, recorded, type ServerEvent } from './recorded.ts'

const { Options } = streams.ReadReq
const { FORWARDS, BACKWARDS } = Options.ReadDirection
const ALL = Number.MAX_SAFE_INTEGER

/**
 * The service's events of a stream from a revision (from 0) on; empty when there is no such stream.
 * @throws Damaged when events in between are gone
 */
export async function readStream(
  link: Link,
  ms: number,
  { stream, from, count = ALL }: { readonly stream: string; readonly from: number; readonly count?: number },
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  const place = new Options.StreamOptions().setRevision(String(from))
  let next = from
  await each(link, ms, ofStream(stream, place, count, FORWARDS), (event) => {
    if (event.revision !== next)
      throw new Damaged(
        `the event store no longer has version ${next + 1} of ${stream}: the first there is ${event.revision + 1}. ` +
          'Streams of Daybook must not be deleted or cut ($maxCount, $maxAge, $tb)',
      )
    next++
    const own = recorded(event)
    if (own) events.push(own)
    return true
  })
  return events
}

/** The same, as they are stored: events of other companies too. */
export async function readTexts(
  link: Link,
  ms: number,
  { stream, from }: { readonly stream: string; readonly from: number },
): Promise<readonly (StoredText & { readonly company: string })[]> {
  const found: (StoredText & { readonly company: string })[] = []
  const place = new Options.StreamOptions().setRevision(String(from))
  await each(link, ms, ofStream(stream, place, ALL, FORWARDS), (event) => {
    const own = recorded(event)
    const { id, type, data, metadata } = event
    if (own) found.push({ id, type, version: own.version, data, metadata, company: own.metadata.company })
    return true
  })
  return found
}

/** Whether the stream, whatever its name, begins with an event that carries metadata of the service. */
export async function hasOwnMetadata(link: Link, ms: number, stream: string): Promise<boolean> {
  let found = false
  const place = new Options.StreamOptions().setRevision('0')
  await each(link, ms, ofStream(stream, place, 1, FORWARDS), ({ metadata }) => {
    found = metadataOf(metadata) !== undefined
    return true
  })
  return found
}

/** The last of the service's events in a stream that is wanted; undefined when there is none, or no such stream. */
export async function lastOfStream(
  link: Link,
  ms: number,
  stream: string,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent | undefined> {
  let last: RecordedEvent | undefined
  // As a rule the very last event is it; without a count, the server would begin to send all that it has.
  for (const count of [1, ALL]) {
    let seen = 0
    const place = new Options.StreamOptions().setEnd(new shared.Empty())
    await each(link, ms, ofStream(stream, place, count, BACKWARDS), (event) => {
      seen++
      const own = recorded(event)
      if (own && isWanted(own)) last = own
      return last === undefined || count === 1 // it ends by itself, which costs less than to break it off
    })
    if (last || seen < count) return last
  }
  return undefined
}

/** Where the log ends, as far as it has been looked through. */
export interface Tail {
  /** Position of the last event that is not the server's own. */
  readonly last: Position
  /** Position up to which there is no later one. */
  readonly seen: Position
}

/**
 * The tail as it is now: the last event that subscriptions deliver or pass over by themselves, that is, of those that are
 * not the server's own. Looks no further back than was seen before, unless the log has become shorter: it was restored.
 */
export async function readTail(link: Link, ms: number, known: Tail): Promise<Tail> {
  let before = known
  let newest: Position | undefined
  // As a rule the very last event is enough; without a count, the server would begin to send all that it has.
  for (const count of [1, 100, ALL]) {
    let last: Position | undefined
    const end = new Options.AllOptions().setEnd(new shared.Empty())
    await each(link, ms, reading(count, BACKWARDS).setAll(end), ({ position: place, type }) => {
      const position = positionOf(place)
      if (position === undefined) return true
      newest ??= position
      if (newest < before.seen) before = { last: 0, seen: 0 }
      if (position > before.seen && type.startsWith('$')) return true
      last = position > before.seen ? position : before.last
      return count === 1 // it ends by itself, which costs less than to break it off
    })
    if (last !== undefined) return { last, seen: newest ?? last }
  }
  return { last: before.last, seen: newest ?? before.seen }
}

type Direction = typeof FORWARDS | typeof BACKWARDS

function ofStream(
  stream: string,
  place: ReadReq.Options.StreamOptions,
  count: number,
  direction: Direction,
): ReadReq.Options {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'))
  return reading(count, direction).setStream(place.setStreamIdentifier(name))
}

const reading = (count: number, direction: Direction): ReadReq.Options =>
  new Options()
    .setReadDirection(direction)
    .setCount(String(count))
    .setResolveLinks(false)
    .setNoFilter(new shared.Empty())
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()))

/** Hands on events until the server ends the read or `take` wants no more. Rejects when none comes for `ms`. */
async function each(
  link: Link,
  ms: number,
  options: ReadReq.Options,
  take: (event: ServerEvent) => boolean,
): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => over.reject(new TimedOut(ms)), ms)
  const opened: Promise<Reading> = link.read(options)
  // Opening may take its time, too: the client looks for the leader and connects.
  opened.then((call) => {
    call.on('error', over.reject)
    call.on('end', over.resolve)
    call.on('data', (answer: ReadAnswer) => {
      timer.refresh()
      if (answer.kind !== 'event') return
      try {
        if (!take(answer.event)) over.resolve()
      } catch (error) {
        over.reject(error)
      }
    })
  }, over.reject)
  try {
    await over.promise
  } finally {
    clearTimeout(timer)
    opened.then(
      (call) => call.removeAllListeners('data').cancel(),
      () => {},
    )
  }
}
