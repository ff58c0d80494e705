/**
 * A copy of the events of a server, in a file with the same tables as the embedded event file: what looks back by company,
 * object and time needs indexes that no server of events has. It can be thrown away at any time, and is then copied again.
 *
 * One process writes it: where several serve the API, the journal is in MongoDB.
 */
import { rmSync } from 'node:fs'
import type { Position, RecordedEvent } from '../../../domain/events/event.ts'
import { streamOf } from '../../../domain/events/stream-name.ts'
import { textOf } from '../../../domain/events/written-text.ts'
import { EVENTS_SCHEMA } from './event-log.ts'
import { recorded, selecting } from './event-rows.ts'
import { openJournalTable } from './journal-table.ts'
import { openForWriting, prepareWrite, transaction } from '../files/open.ts'

export interface EventCopy {
  /** Up to here everything has been copied. */
  position(): Position
  /** The last event; undefined when there is none. */
  last(): RecordedEvent | undefined
  /** Adds those that are not there yet. `position`: how far they reach. */
  add(events: readonly RecordedEvent[], position: Position): void
  /** Removes everything. */
  clear(): void
  close(): void
}

/** Pages of the write-ahead log that may wait before they are moved into the file. */
const LOG_PAGES = 4_000

export function openEventCopy(path: string): EventCopy {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 16 })
  db.exec(`${EVENTS_SCHEMA}
    CREATE TABLE IF NOT EXISTS copied (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL) STRICT;
    PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
  const journal = openJournalTable(db)
  const insert = prepareWrite(db, 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const move = prepareWrite(db, 'INSERT OR REPLACE INTO copied VALUES (1, ?)')
  const reached = db.prepare('SELECT position FROM copied')
  const newest = selecting(db, 'SELECT * FROM events ORDER BY position DESC LIMIT 1')
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
          for (const event of events) {
            const { position: at, version, id, type } = event
            if (at <= from) continue
            const { company } = event.metadata
            const stream = streamOf(company, event.stream)
            const { data, metadata } = textOf(event)
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
    clear() {
      transaction(db, () => db.exec('DELETE FROM copied; DELETE FROM journal; DELETE FROM events'))
      journal.forget()
    },
    close: () => db.close(),
  }
}

export function removeEventCopy(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
