/**
 * The event file: every event in one table, appended by one connection in groups that share a commit.
 *
 * Synchronous; it lives in the engine thread. Positions are 1, 2, 3 … and a reader that sees one sees all before it.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { SYSTEM, type Company, type Position } from '../../../domain/events/event.ts'
import { versionBefore } from '../../../domain/events/packs.ts'
import { STORE, storeOpened } from '../../../domain/events/store-opened.ts'
import { writtenText } from '../../../domain/events/written-text.ts'
import { streamOf } from '../../../domain/events/stream-name.ts'
import type { Appended } from '../../../ports/event-store.ts'
import { openJournalTable, type JournalTable } from './journal-table.ts'
import { openForWriting, transaction } from '../files/open.ts'
import { eventReader, type EventReader } from './event-reader.ts'

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
    'SELECT id, position FROM events WHERE stream = ? AND version > ? ORDER BY version LIMIT ? + 0',
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
