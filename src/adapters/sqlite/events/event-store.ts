/**
 * The embedded event store, as the main thread sees it: appends go to the engine thread, which stores those that are
 * waiting with one commit; reads are made here, on a read-only connection to the same file.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { Busy, TooLarge, Unavailable } from '../../../domain/errors.ts'
import type { NewEvent, Position, RecordedEvent } from '../../../domain/events/event.ts'
import { streamOf } from '../../../domain/events/stream-name.ts'
import { writtenText } from '../../../domain/events/written-text.ts'
import {
  VersionConflict,
  type Append,
  type Appended,
  type EventStore,
  type StoredTexts,
} from '../../../ports/event-store.ts'
import type { EngineLink } from './engine-link.ts'
import { flatten, unflattenOutcomes } from './engine-messages.ts'
import { type Outcome, type PackedAppend } from './event-log.ts'
import { openEventReader } from './event-reader.ts'
import { recentEvents } from './recent-events.ts'
import { logSignal, subscription } from './subscription.ts'

/** The most that one append may carry, in bytes of data: EventStoreDB's default, so that data can move there. */
const MAX_APPEND_BYTES = 1_048_576
/** Events that are read in one go, some milliseconds: a record may have changed a hundred thousand times. */
const CHUNK = 500
/** Appends that may wait for the engine before more are refused. */
const MAX_WAITING = 20_000
/** What follows an append is work of this thread: after so many, others have their turn. */
const SETTLED_AT_ONCE = 100
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Waiting {
  readonly append: Append
  readonly size: number
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: Error) => void
}

export function sqliteEventStore({
  path,
  engine,
}: {
  path: string
  engine: EngineLink
}): EventStore & StoredTexts {
  const reader = openEventReader(path)
  const signal = logSignal()
  const waiting = new Map<number, Waiting>()
  let outbox: PackedAppend[] = []
  let next = 0
  let head = engine.head
  const recent = recentEvents(head)
  const readAll = (after: Position, limit: number) =>
    recent.after(after, limit) ?? reader.readAll(after, limit)
  let closed = false
  /** Appends that wait for others, to be stored together. */
  let held = 0

  const post = () => {
    engine.send({ kind: 'append', first: next - outbox.length, appends: flatten(outbox) })
    outbox = []
  }

  const settle = (number: number, outcome: Outcome | Error) => {
    const entry = waiting.get(number)
    if (!entry) return
    waiting.delete(number)
    if (outcome instanceof Error) entry.reject(outcome)
    else if ('conflict' in outcome)
      entry.reject(new VersionConflict(entry.append.stream, entry.append.expected, outcome.conflict))
    else entry.resolve(outcome)
  }

  /** Outcomes that are delivered one turn of the event loop after the other. */
  let settling: (readonly [number, Outcome | Error])[] = []
  const settleSome = (most = SETTLED_AT_ONCE) => {
    for (const [number, outcome] of settling.splice(0, most)) settle(number, outcome)
    if (settling.length > 0) setImmediate(() => settleSome())
  }

  const settleFrom = (first: number, outcomes: readonly (Outcome | Error)[]) => {
    const isUnderWay = settling.length > 0
    settling = [...settling, ...outcomes.map((outcome, i) => [first + i, outcome] as const)]
    if (!isUnderWay) settleSome()
  }

  const failAll = (error: Error) => {
    settleSome(Infinity)
    for (const number of [...waiting.keys()]) settle(number, error)
  }

  engine.listen((message) => {
    if (message.kind === 'appended') {
      head = message.head
      const outcomes = unflattenOutcomes(message.outcomes)
      recent.stored(
        outcomes.map((_, i) => waiting.get(message.first + i)),
        outcomes,
        head,
      )
      settleFrom(message.first, outcomes)
      signal.grown()
    } else if (message.kind === 'failed') {
      const error = message.disk
        ? new Unavailable(`the event store cannot write now: ${message.message}`)
        : new Error(message.message)
      settleFrom(message.first, Array<Error>(message.count).fill(error))
    } else if (message.kind === 'fatal' || message.kind === 'closed') {
      closed = true
      failAll(new Unavailable('the event store has stopped'))
      signal.close()
    }
  })

  return {
    append(append) {
      return new Promise<Appended>((resolve, reject) => {
        if (closed) throw new Unavailable('the event store is closed')
        if (waiting.size + held >= MAX_WAITING)
          throw new Busy('too many writes are waiting for the event store')
        const packed = pack(append)
        const send = () => {
          if (closed) return reject(new Unavailable('the event store is closed'))
          if (outbox.length === 0) setImmediate(post)
          waiting.set(next++, { append, size: sizeOf(packed), resolve, reject })
          outbox.push(packed)
        }
        if (!append.together) return send()
        held++
        // All that wait for one promise go on in one turn, and so into one group.
        void append.together.then(() => {
          held--
          send()
        })
      })
    },
    async read(company, stream, after = 0) {
      const events: RecordedEvent[] = []
      for (;;) {
        const version = events.at(-1)?.version ?? after
        const some = reader.read(company, stream, version, CHUNK)
        if (some.length < CHUNK) return events.concat(some)
        events.push(...some)
        await breathe()
      }
    },
    last: async (company, stream) => reader.last(company, stream),
    texts: async (company, stream, after = 0) => reader.texts(company, stream, after),
    subscribe: (after) => subscription({ after, read: readAll, signal }),
    head: async () => head,
    async close() {
      if (closed) return
      closed = true
      signal.close()
      // Before the engine, whose connection, as the last one, then moves the log into the file; else each start reads it.
      reader.close()
      await engine.close()
    },
  }
}

/** @throws Error when the append could not be stored by every event store; TooLarge past its size */
function pack({ company, stream, expected, events }: Append): PackedAppend {
  if (!stream || events.length === 0) throw new Error('an append needs a stream and events')
  const packed = events.map((event) => packEvent(event))
  const bytes = packed.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
  if (bytes > MAX_APPEND_BYTES)
    throw new TooLarge(`an append of ${bytes} bytes is over the limit of ${MAX_APPEND_BYTES}`)
  return { company, stream: streamOf(company, stream), expected, events: packed }
}

const sizeOf = ({ events }: PackedAppend): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)

function packEvent({ id, type, ...event }: NewEvent) {
  if (!UUID.test(id)) throw new Error(`the event id ${JSON.stringify(id)} is not a UUID`)
  if (!type) throw new Error('an event needs a type')
  return { id, type, ...writtenText(event) }
}
