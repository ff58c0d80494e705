/**
 * The tables of `timers.db`. Rules and companies are kept by number: each timer that is planned writes to a place of its own in the
 * index by moment, so what a commit costs is how large that index is.
 */
import type { DatabaseSync } from 'node:sqlite'
import { openForWriting, transaction } from '../files/open.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS planned (
    id INTEGER PRIMARY KEY,
    rule INTEGER NOT NULL,
    company INTEGER NOT NULL,
    record TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    due INTEGER NOT NULL,
    look INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS planned_by_record ON planned (rule, company, record, occurrence);
  CREATE INDEX IF NOT EXISTS planned_by_moment ON planned (look);
  CREATE TABLE IF NOT EXISTS reached (rule TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS followed (
    one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, last TEXT NOT NULL
  ) STRICT;`

/** Files of earlier versions have the table `timers`, with names in each row. */
const HAS_NAMES_IN_ROWS = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'timers'`
const TAKE_OVER = `
  INSERT OR IGNORE INTO names (name) SELECT rule FROM timers UNION SELECT company FROM timers;
  INSERT OR IGNORE INTO planned
    SELECT NULL, rules.id, companies.id, record, occurrence, due, look
    FROM timers JOIN names AS rules ON rules.name = rule JOIN names AS companies ON companies.name = company
    ORDER BY rule, company, record;
  DROP TABLE timers;`

export function openTimersFile(path: string): DatabaseSync {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 })
  try {
    // Seldom: a checkpoint waits for the disk.
    db.exec(`PRAGMA wal_autocheckpoint = 4000; ${SCHEMA}`)
    if (db.prepare(HAS_NAMES_IN_ROWS).get()) transaction(db, () => db.exec(TAKE_OVER))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export interface Names {
  /** Its number, which it has for ever. */
  numberOf(name: string): number
  /** After a transaction that was rolled back, and numbers with it. */
  forget(): void
}

/** Companies and rules that are remembered; more are read again. */
const REMEMBERED = 10_000

export function namesIn(db: DatabaseSync): Names {
  const add = db.prepare('INSERT OR IGNORE INTO names (name) VALUES (?)')
  const find = db.prepare('SELECT id FROM names WHERE name = ?')
  const known = new Map<string, number>()
  return {
    numberOf(name) {
      let number = known.get(name)
      if (number !== undefined) return number
      number = find.get(name)?.['id'] as number | undefined
      if (number === undefined) number = Number(add.run(name).lastInsertRowid)
      if (known.size >= REMEMBERED) known.clear()
      known.set(name, number)
      return number
    },
    forget: () => known.clear(),
  }
}
