/**
 * The event file: every event in one table, appended by one connection in groups that share a commit.
 *
 * Synchronous; it lives in the engine thread. Positions are 1, 2, 3 … and a reader that sees one sees all before it.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { SYSTEM, type Company, type Position, type RecordedEvent } from '../../../domain/events/event.ts'
import { rowIn, rowPlaceOf, versionBefore } from '../../../domain/events/packs.ts'
import { STORE, storeOpened } from '../../../domain/events/store-opened.ts'
import { writtenText } from '../../../domain/events/written-text.ts'
import { nameOfStream, streamOf } from '../../../domain/events/stream-name.ts'
import { objectOfKey } from '../../../domain/records/key.ts'
import { readStored, requireReadable } from '../../../domain/events/upcast.ts'
import type { Appended, StoredText } from '../../../ports/event-store.ts'
import { openJournalTable, type JournalTable } from './journal-table.ts'
import {
  openForReading,
  openForWriting,
  orUnavailable,
  transaction,
  type ReadOptions,
} from '../files/open.ts'

/** An append as it travels between threads: what is stored as text is text already, and the stream has its stored name. */
export interface PackedAppend {
  readonly company: Company
  readonly stream: string
  readonly expected: number
  readonly events: readonly PackedEvent[]
}

export interface PackedEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

/** What became of one append of a group: done, or the version that the stream was at instead. */
export type Outcome = Appended | { readonly conflict: number }

export interface EventLog extends Pick<EventReader, 'read' | 'readAll' | 'readRecords'> {
  /** Appends a group with one commit; each append succeeds or conflicts by itself. Throws when nothing was stored. */
  append(group: readonly PackedAppend[]): Outcome[]
  head(): Position
  close(): void
  /** For checkpoints of the write-ahead log. */
  readonly db: DatabaseSync
}

/** Of the table of events; `STRICT`, so that a file holds what it says. */
export const EVENTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    company TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, version);`

/** The form of the file: 2 has names with shards and begins with `store.opened`. It is kept as SQLite's `user_version`. */
const FORM = 2

/** @throws Error for a file in an earlier form, or in one that this version of the service does not know */
function checkForm(db: DatabaseSync, path: string): void {
  const form = db.prepare('PRAGMA user_version').get()?.['user_version'] as number
  if (form === FORM) return
  if (form > FORM)
    throw new Error(
      `${path} was written by a newer version of the service (form ${form}, known up to ${FORM})`,
    )
  const isNew = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).get() === undefined
  if (!isNew && db.prepare('SELECT 1 FROM events LIMIT 1').get() !== undefined)
    throw new Error(
      `${path} was written by an earlier version of the service; copy it into the new form first: npm run upgrade-store -- <folder> <new folder>`,
    )
}

export function openEventLog(path: string): EventLog {
  const db = openForWriting({ path, synchronous: 'FULL', cacheMegabytes: 32 })
  try {
    checkForm(db, path)
  } catch (error) {
    db.close()
    throw error
  }
  db.exec(`${EVENTS_SCHEMA} PRAGMA user_version = ${FORM}`)
  const journal = openJournalTable(db)
  const write = streamWriter(db, journal)
  const reader = eventReader(db)
  let last = reader.head()

  const beginStore = () => {
    const opened = storeOpened(randomUUID(), Date.now())
    const text = { id: opened.id, type: opened.type, ...writtenText(opened) }
    transaction(db, () =>
      appendOne({ company: SYSTEM, stream: streamOf(SYSTEM, STORE), expected: 0, events: [text] }),
    )
  }

  const appendOne = (append: PackedAppend): Outcome => {
    const outcome = write(append, last)
    // What was stored before is in its old place.
    if (!('conflict' in outcome)) last = Math.max(last, outcome.position)
    return outcome
  }

  if (last === 0) beginStore()
  return {
    db,
    append(group) {
      const before = last
      try {
        return transaction(db, () => group.map(appendOne))
      } catch (error) {
        last = before
        journal.forget()
        throw error
      }
    },
    read: reader.read,
    readAll: reader.readAll,
    readRecords: reader.readRecords,
    head: () => last,
    close: () => db.close(),
  }
}

/** Appends to one stream, in the places after `after`: within a transaction. */
function streamWriter(db: DatabaseSync, journal: JournalTable) {
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  /** Of a stream that is to be new: finds out by itself whether it is, for half of what asking first costs. */
  const begin = db.prepare(
    'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (stream, version) DO NOTHING',
  )
  const version = db.prepare('SELECT max(version) AS version FROM events WHERE stream = ?')
  const following = db.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND version > ? ORDER BY version LIMIT ?',
  )

  const write = ({ company, stream, expected, events }: PackedAppend, after: Position): Outcome => {
    const isNew = expected === 0 && versionBefore(stream) === 0
    if (!isNew) {
      const conflict = otherThan(stream, expected, events)
      if (conflict) return conflict
    }
    let [last, next] = [after, expected]
    for (const { id, type, data, metadata } of events) {
      const statement = isNew && next === 0 ? begin : insert
      const { changes } = statement.run(last + 1, stream, next + 1, id, type, company, data, metadata)
      if (changes === 0) return otherThan(stream, expected, events)!
      last++
      next++
      journal.add({ position: last, stream, type, company, metadata })
    }
    return { version: next, position: last }
  }

  /** What came of the append where the stream is at another version; undefined where it is at this one. */
  const otherThan = (
    stream: string,
    expected: number,
    events: readonly PackedEvent[],
  ): Outcome | undefined => {
    const actual = (version.get(stream)?.['version'] as number | null) ?? versionBefore(stream)
    if (actual === expected) return undefined
    return repeated(stream, expected, events) ?? { conflict: actual }
  }

  /** The same events at the same place: an append that was stored before and is sent again. */
  const repeated = (
    stream: string,
    expected: number,
    events: readonly PackedEvent[],
  ): Appended | undefined => {
    const stored = following.all(stream, expected, events.length)
    const same = stored.length === events.length && events.every(({ id }, i) => stored[i]?.['id'] === id)
    return same
      ? { version: expected + events.length, position: stored.at(-1)?.['position'] as number }
      : undefined
  }

  return write
}

/** Each of them: @throws Unavailable where the disk is in trouble */
export interface EventReader {
  /** `limit`: at most so many. */
  read(company: Company, stream: string, after: number, limit?: number): RecordedEvent[]
  last(company: Company, stream: string): RecordedEvent | undefined
  texts(company: Company, stream: string, after: number): StoredText[]
  /** At most `limit`, fewer where they are large; none where none follows. */
  readAll(after: Position, limit: number): RecordedEvent[]
  /**
   * Of the events that `readAll` looks at those of records, and the last one, whatever it is: followers remember what they have
   * covered by it. The service's own bookkeeping, as often a half of all, need not be parsed by those who pass it over.
   */
  readRecords(after: Position, limit: number): RecordedEvent[]
  head(): Position
}

/** Events of large records are read fewer at a time: a thread that parses a million characters is held for some 10 ms. */
const MOST_CHARACTERS = 1_000_000
/** Rows that are asked for at once: one by one they cost a fifth more, and many large ones would take much memory. */
const PIECE = 50

/** Opens the event file beside its writer; `once`: for a follower, which reads each event once. */
export function openEventReader(
  path: string,
  reads: ReadOptions['reads'] = 'again and again',
): EventReader & { close(): void } {
  const db = openForReading({ path, cacheMegabytes: reads === 'once' ? 2 : 16, reads })
  return { ...eventReader(db), close: () => db.close() }
}

/** By the name that a stream is stored under. */
const isOfRecord = (stored: string): boolean => objectOfKey(nameOfStream(stored) ?? '') !== undefined

function eventReader(db: DatabaseSync): EventReader {
  const stream = selecting(
    db,
    'SELECT * FROM events WHERE stream = ? AND version > ? AND company = ? ORDER BY version LIMIT ?',
  )
  const last = selecting(
    db,
    'SELECT * FROM events WHERE stream = ? AND company = ? ORDER BY version DESC LIMIT 1',
  )
  const texts = db.prepare(
    'SELECT id, type, version, data, metadata FROM events WHERE stream = ? AND version > ? AND company = ? ORDER BY version',
  )
  const all = selecting(db, 'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?')
  const head = db.prepare('SELECT max(position) AS head FROM events')
  // SQLite takes -1 for no limit.
  const read: EventReader['read'] = (company, name, after, limit = -1) => {
    const rows = orUnavailable(() => stream.all(streamOf(company, name), after, company, limit))
    const own = rows.map(recordedWhole)
    const row = after === 0 ? packedRow(company, name) : undefined
    return row ? [row, ...own] : own
  }
  const packedRow = (company: Company, name: string): RecordedEvent | undefined => {
    const at = rowPlaceOf(name)
    return at && rowIn(read(company, at.pack, 0, 1)[0], at.place)
  }
  const following = (after: Position, limit: number, isWanted: (stream: string) => boolean) => {
    const events: RecordedEvent[] = []
    let characters = 0
    let passedOver: EventRow | undefined
    for (let [from, left] = [after, limit]; left > 0;) {
      const piece = Math.min(PIECE, left)
      const rows = orUnavailable(() => all.all(from, piece))
      for (const row of rows) {
        from = row[0]
        passedOver = isWanted(row[1]) ? undefined : row
        if (passedOver) continue
        events.push(recorded(row))
        characters += row[6].length
        if (characters > MOST_CHARACTERS) return events
      }
      left = rows.length < piece ? 0 : left - piece
    }
    if (passedOver) events.push(recorded(passedOver))
    return events
  }
  return {
    read,
    last(company, name) {
      const row = orUnavailable(() => last.get(streamOf(company, name), company))
      return row ? recordedWhole(row) : packedRow(company, name)
    },
    texts: (company, name, after) =>
      orUnavailable(() => texts.all(streamOf(company, name), after, company)) as unknown as StoredText[],
    readAll: (after, limit) => following(after, limit, () => true),
    readRecords: (after, limit) => following(after, limit, isOfRecord),
    head: () => (head.get()?.['head'] as number | null) ?? 0,
  }
}

/** A row of the table of events: its columns in their order. SQLite hands out arrays at a fraction of what objects cost. */
export type EventRow = readonly [
  position: Position,
  stream: string,
  version: number,
  id: string,
  type: string,
  company: Company,
  data: string,
  metadata: string,
]

/** What a statement that selects all columns of the table of events gives: rows as arrays. */
export function selecting(db: DatabaseSync, sql: string): EventRows {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement as unknown as EventRows
}

export interface EventRows {
  get(...params: SQLInputValue[]): EventRow | undefined
  all(...params: SQLInputValue[]): EventRow[]
}

/** The event of a row of the table of events, in the newest shape; marked when it cannot be read. */
export function recorded(row: EventRow): RecordedEvent {
  const [position, stored, version, id, type, company, data, metadata] = row
  const stream = nameOfStream(stored) ?? stored
  const text = { data, metadata }
  const parse = () => ({ data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown })
  return readStored({ position, stream, version, id, type, company, text, parse })
}

/** The same, of a row that must be readable. @throws Error when it is not */
export function recordedWhole(row: EventRow): RecordedEvent {
  const event = recorded(row)
  requireReadable(event)
  return event
}
