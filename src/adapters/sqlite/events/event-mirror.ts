/**
 * A copy of the events of a server, in a file with the same tables as the embedded event file: what looks back by company,
 * object and time needs indexes that no server of events has. It can be thrown away at any time, and is then copied again.
 *
 * Processes that share a folder share the copy: each adds what is not there yet.
 */
import { rmSync } from 'node:fs'
import type { Position, RecordedEvent } from '../../../domain/events/event.ts'
import { streamOf } from '../../../domain/events/stream-name.ts'
import { writtenText } from '../../../domain/events/written-text.ts'
import { EVENTS_SCHEMA, recorded } from './event-log.ts'
import { openJournalTable } from './journal-table.ts'
import { openForWriting, prepareWrite, transaction } from '../files/open.ts'

export interface EventMirror {
  /** Up to here everything has been copied. */
  position(): Position
  /** The last event; undefined when there is none. */
  last(): RecordedEvent | undefined
  /** Adds those that are not there yet. `position`: how far they reach. */
  add(events: readonly RecordedEvent[], position: Position): void
  close(): void
}

/** Pages of the write-ahead log that may wait before they are moved into the file. */
const LOG_PAGES = 4_000

export function openEventMirror(path: string): EventMirror {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 16 })
  db.exec(`${EVENTS_SCHEMA}
    CREATE TABLE IF NOT EXISTS mirrored (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL) STRICT;
    PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
  const journal = openJournalTable(db)
  const insert = prepareWrite(db, 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const move = prepareWrite(db, 'INSERT OR REPLACE INTO mirrored VALUES (1, ?)')
  const reached = db.prepare('SELECT position FROM mirrored')
  const newest = db.prepare('SELECT * FROM events ORDER BY position DESC LIMIT 1')
  const position = (): Position => (reached.get()?.['position'] as number | undefined) ?? 0

  return {
    position,
    last() {
      const row = newest.get()
      return row && recorded(row)
    },
    add(events, upTo) {
      try {
        transaction(db, () => {
          const from = position()
          for (const { position: at, version, id, type, unreadable, ...event } of events) {
            // What cannot be read cannot be copied; projections stop before it, which is seen.
            if (at <= from || unreadable !== undefined) continue
            const { company } = event.metadata
            const stream = streamOf(company, event.stream)
            const { data, metadata } = writtenText(event)
            insert.run(at, stream, version, id, type, company, data, metadata)
            journal.add({ position: at, stream, type, company, metadata })
          }
          if (upTo > from) move.run(upTo)
        })
      } catch (error) {
        journal.forget()
        throw error
      }
    },
    close: () => db.close(),
  }
}

export function removeEventMirror(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
