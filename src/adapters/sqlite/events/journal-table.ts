/**
 * The journal of an event file: for each event of a record a narrow row by company, in the transaction that stores the
 * event. Histories, audits and change feeds look here, and find the events themselves by position. Rows of a company are
 * counted: an event's ordinal.
 *
 * It can be rebuilt from the events at any time, and is when it was not kept with them (a file of an earlier version).
 * Names are numbers, so that a million rows are 30 MB and can be walked in a tenth of a second.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Position } from '../../../domain/events/event.ts'
import { nameOfStream } from '../../../domain/events/stream-name.ts'
import { journaled } from '../../../domain/events/journaled.ts'
import { objectOfKey } from '../../../domain/records/key.ts'
import { prepareWrite, transaction } from '../files/open.ts'

export interface JournalTable {
  /** Within the transaction that stores the event. */
  add(event: EventToJournal): void
  /** A transaction was rolled back: names that were new in it are not known. */
  forget(): void
}

export interface EventToJournal {
  readonly position: Position
  readonly stream: string
  readonly type: string
  readonly company: string
  /** As JSON. */
  readonly metadata: string
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS journal_names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS journal (
    company INTEGER NOT NULL,
    position INTEGER NOT NULL,
    object INTEGER NOT NULL,
    type INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    at INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (company, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS journal_by_object ON journal (company, object, position);`

const COLUMNS = 7

/** Opens the journal of a file that has its table of events already. */
export function openJournalTable(db: DatabaseSync): JournalTable {
  const columns = db.prepare(`SELECT count(*) AS n FROM pragma_table_info('journal')`).get()?.['n'] as number
  const hadOne = columns === COLUMNS
  if (!hadOne) db.exec('DROP TABLE IF EXISTS journal') // of an earlier version
  db.exec(SCHEMA)
  const insert = prepareWrite(db, 'INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)')
  const find = db.prepare('SELECT number FROM journal_names WHERE name = ?')
  const name = prepareWrite(db, 'INSERT INTO journal_names (name) VALUES (?)')
  const latest = db.prepare(
    'SELECT at, ordinal FROM journal WHERE company = ? ORDER BY position DESC LIMIT 1',
  )
  const known = new Map<string, number>()
  /** By company: its last row. */
  const lasts = new Map<number, { readonly at: number; readonly ordinal: number }>()

  const numberOf = (text: string): number => {
    let number = known.get(text)
    if (number === undefined) {
      number = (find.get(text)?.['number'] as number | undefined) ?? Number(name.run(text).lastInsertRowid)
      known.set(text, number)
    }
    return number
  }

  const add = (event: EventToJournal) => {
    const row = journaled(nameOfStream(event.stream) ?? '', event.metadata)
    if (!row) return
    const owner = numberOf(event.company)
    const before = lasts.get(owner) ?? (latest.get(owner) as { at: number; ordinal: number } | undefined)
    // The running maximum: what was shown as of a moment stays what is shown as of it.
    const at = Math.max(before?.at ?? 0, row.at)
    const ordinal = (before?.ordinal ?? 0) + 1
    const { position, type } = event
    insert.run(owner, position, numberOf(row.object), numberOf(type), numberOf(row.actor), at, ordinal)
    lasts.set(owner, { at, ordinal })
  }

  if (!hadOne || !hasLast(db))
    transaction(db, () => {
      db.exec('DELETE FROM journal')
      const events = db.prepare(
        'SELECT position, stream, type, company, metadata FROM events ORDER BY position',
      )
      for (const event of events.iterate()) add(event as unknown as EventToJournal)
    })

  return {
    add,
    forget() {
      known.clear()
      lasts.clear()
    },
  }
}

/** Whether the last event of a record is in the journal: then all are, unless an earlier version has written the file. */
function hasLast(db: DatabaseSync): boolean {
  const last = db.prepare('SELECT position, stream, company FROM events ORDER BY position DESC')
  const found = db.prepare(
    'SELECT 1 FROM journal WHERE company = (SELECT number FROM journal_names WHERE name = ?) AND position = ?',
  )
  for (const { position, stream, company } of last.iterate())
    if (objectOfJournaled(stream as string) !== undefined)
      return found.get(company as string, position as number) !== undefined
  return true
}

/** The object of a stream by its stored name; undefined for bookkeeping. */
function objectOfJournaled(stream: string): string | undefined {
  return objectOfKey(nameOfStream(stream) ?? '')
}
