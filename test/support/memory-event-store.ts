/**
 * An event store in memory, for tests of what is built on one. It keeps the promises of `ports/event-store.ts` (their
 * contract is run on it), can be opened by several processes at once, and fails, stalls and dies as a test tells it to.
 */
import { TooLarge, Unavailable } from '../../src/domain/errors.ts'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import { rowIn, rowPlaceOf, versionBefore } from '../../src/domain/events/packs.ts'
import {
  VersionConflict,
  type Append,
  type Appended,
  type EventBatch,
  type EventStore,
} from '../../src/ports/event-store.ts'

/** What outlives every process: the events, in one order. */
export interface MemoryLog {
  /** Copies, so that nobody can change what happened. */
  all(after?: Position): RecordedEvent[]
  readonly rows: Row[]
  readonly streams: Map<string, Row[]>
  /** Woken when the log has grown or a store on it has closed. */
  readonly sleepers: Set<() => void>
}

interface Row {
  readonly id: string
  readonly company: string
  readonly version: number
  readonly position: Position
  /** The event as JSON text: what is read has been through JSON, as with every other store. */
  readonly text: string
}

/** What a test does to the calls of a store. Whatever throws or never resolves is what the caller gets to see. */
export interface Interference {
  /** Before an append is looked at: when it throws, nothing is stored. */
  before?: (append: Append) => Promise<void> | void
  /** After it is stored: when it throws, the caller does not learn that it is. */
  after?: (append: Append, appended: Appended) => Promise<void> | void
  /** Before a stream is read. */
  reading?: (stream: string) => Promise<void> | void
  /** After a stream was read, before the caller gets it. */
  read?: (stream: string) => Promise<void> | void
}

export interface MemoryEventStoreOptions {
  readonly log?: MemoryLog
  readonly interference?: Interference
  /** The most events that a subscription delivers at once. */
  readonly batch?: number
}

const MAX_APPEND_BYTES = 1_048_576
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function memoryLog(): MemoryLog {
  const rows: Row[] = []
  return {
    rows,
    streams: new Map(),
    sleepers: new Set(),
    all: (after = 0) => rows.slice(after).map(recorded),
  }
}

export function memoryEventStore({
  log = memoryLog(),
  interference = {},
  batch = 500,
}: MemoryEventStoreOptions = {}): EventStore {
  let closed = false

  const streamOf = (name: string): Row[] => {
    let stream = log.streams.get(name)
    if (!stream) log.streams.set(name, (stream = []))
    return stream
  }

  const store = ({ company, stream: name, expected, events }: Append): Appended => {
    const stream = streamOf(name)
    const before = versionBefore(name)
    if (stream.length + before !== expected) {
      const from = Math.max(0, expected - before)
      const repeated = stream.slice(from, from + events.length)
      const last = repeated.at(-1)
      if (last && repeated.length === events.length && events.every(({ id }, i) => repeated[i]?.id === id))
        return { version: last.version, position: last.position }
      throw new VersionConflict(name, expected, stream.length + before)
    }
    for (const event of events) {
      const [version, position] = [stream.length + 1 + before, log.rows.length + 1]
      const text = JSON.stringify({ ...event, stream: name, version, position })
      const row = { id: event.id, company, version, position, text }
      stream.push(row)
      log.rows.push(row)
    }
    wake(log)
    return { version: stream.length + before, position: log.rows.length }
  }

  const read: EventStore['read'] = async (company, name, after = 0) => {
    await interference.reading?.(name)
    const rows = (log.streams.get(name) ?? []).filter((row) => row.company === company && row.version > after)
    const events = rows.map(recorded)
    const at = after === 0 ? rowPlaceOf(name) : undefined
    const row = at && rowIn((await read(company, at.pack))[0], at.place)
    await interference.read?.(name)
    return row ? [row, ...events] : events
  }

  return {
    async append(append) {
      await interference.before?.(append)
      if (closed) throw new Unavailable('the event store is closed')
      refuse(append)
      const appended = store(append)
      await interference.after?.(append, appended)
      return appended
    },

    read,
    last: async (company, name) => (await read(company, name)).at(-1),

    subscribe: (after) => ({
      [Symbol.asyncIterator]: () => subscription(log, after, batch, () => closed),
    }),

    head: async () => log.rows.length,

    async close() {
      closed = true
      wake(log)
    },
  }
}

/** @throws Error when the append could not be stored by every event store; TooLarge past its size */
function refuse({ stream, events }: Append): void {
  if (!stream) throw new Error('an append needs a stream')
  if (events.length === 0) throw new Error('an append needs events')
  for (const { id, type } of events) {
    if (!UUID.test(id)) throw new Error(`the event id ${JSON.stringify(id)} is no UUID`)
    if (!type) throw new Error('an event needs a type')
  }
  const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0)
  if (bytes > MAX_APPEND_BYTES) throw new TooLarge(`an append of ${bytes} bytes is over the limit`)
}

/** Not a generator: it can be left while it waits. */
function subscription(
  log: MemoryLog,
  after: Position,
  batch: number,
  isClosed: () => boolean,
): AsyncIterator<EventBatch> {
  let position = after
  let left = false
  const done = { done: true, value: undefined } as const
  return {
    async next() {
      while (!left && !isClosed()) {
        const events = log.rows.slice(position, position + batch).map(recorded)
        if (events.length > 0) {
          position += events.length
          return { done: false, value: { events, position } }
        }
        await new Promise<void>((resolve) => log.sleepers.add(resolve))
      }
      return done
    },
    async return() {
      left = true
      wake(log)
      return done
    },
  }
}

function recorded({ text }: Row): RecordedEvent {
  return JSON.parse(text) as RecordedEvent
}

function wake({ sleepers }: MemoryLog): void {
  const woken = [...sleepers]
  sleepers.clear()
  for (const resolve of woken) resolve()
}

/** Holds a call of the store until the test lets it go on. */
export interface Gate {
  /** What the held call waits for. */
  hold(): Promise<void>
  /** Resolves when a call has come to the gate. */
  readonly reached: Promise<void>
  open(): void
}

export function gate(): Gate {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return {
    hold() {
      reached.resolve()
      return opened.promise
    },
    reached: reached.promise,
    open: () => opened.resolve(),
  }
}

/** Holds the first append to such a stream; later ones pass. */
export function holdingFirst(gate: Gate, streams: RegExp): Interference {
  const interference: Interference = {
    before({ stream }) {
      if (!streams.test(stream)) return undefined
      delete interference.before
      return gate.hold()
    },
  }
  return interference
}
