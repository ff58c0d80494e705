/**
 * The tables of `timers.db`. Each timer writes to a place of its own in the index by moment, which costs most of what planning it
 * does. So only those of the next weeks are in that index (`near`): most dates of records are months and years ahead.
 */
import type { DatabaseSync } from 'node:sqlite'
import { openForWriting, transaction } from '../files/open.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS kept (
    rule INTEGER NOT NULL,
    company INTEGER NOT NULL,
    record TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    due INTEGER NOT NULL,
    look INTEGER NOT NULL,
    near INTEGER NOT NULL,
    PRIMARY KEY (rule, company, record, occurrence)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kept_by_moment ON kept (look) WHERE near = 1;
  CREATE TABLE IF NOT EXISTS horizon (one INTEGER PRIMARY KEY CHECK (one = 1), until INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS reached (rule TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS followed (
    one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, last TEXT NOT NULL
  ) STRICT;`

const HAS_TABLE = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`
/** Of earlier versions, by the table that those had. Nothing is near until the horizon has been moved. */
const TAKE_OVER = {
  timers: `
    INSERT OR IGNORE INTO names (name) SELECT rule FROM timers UNION SELECT company FROM timers;
    INSERT OR IGNORE INTO kept
      SELECT rules.id, companies.id, record, occurrence, due, look, 0
      FROM timers JOIN names AS rules ON rules.name = rule JOIN names AS companies ON companies.name = company
      ORDER BY rules.id, companies.id, record;
    DELETE FROM horizon;
    DROP TABLE timers;`,
  planned: `
    INSERT OR IGNORE INTO kept
      SELECT rule, company, record, occurrence, due, look, 0 FROM planned ORDER BY rule, company, record, occurrence;
    DELETE FROM horizon;
    DROP TABLE planned;`,
} as const

export function openTimersFile(path: string): DatabaseSync {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 })
  try {
    // Seldom: a checkpoint waits for the disk.
    db.exec(`PRAGMA wal_autocheckpoint = 4000; ${SCHEMA}`)
    for (const [table, sql] of Object.entries(TAKE_OVER))
      if (db.prepare(HAS_TABLE).get(table)) transaction(db, () => db.exec(sql))
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

const DAY_MS = 86_400_000
/** How far ahead of now timers are in the index by moment, and how far at least: it is moved by a look at all timers. */
const AHEAD_MS = { most: 35 * DAY_MS, least: 28 * DAY_MS }

/** 1 for a moment up to the horizon, 0 for a later one. */
export type IsNear = (look: number) => 0 | 1

export interface Horizon {
  /** As it stands: for one transaction. */
  reader(): IsNear
  /** So that all timers up to this moment are near. */
  moveBeyond(moment: number): void
}

/** Up to which moment timers are near. It goes on with the moments that are asked for, never back. */
export function horizonIn(db: DatabaseSync): Horizon {
  const read = db.prepare('SELECT until FROM horizon')
  const set = db.prepare('INSERT INTO horizon VALUES (1, ?) ON CONFLICT DO UPDATE SET until = excluded.until')
  const bringNear = db.prepare('UPDATE kept SET near = 1 WHERE near = 0 AND look <= ?')
  const horizon = () => (read.get()?.['until'] as number | undefined) ?? -Infinity
  return {
    reader() {
      const until = horizon()
      return (look) => (look <= until ? 1 : 0)
    },
    moveBeyond(moment) {
      if (moment + AHEAD_MS.least <= horizon()) return
      const until = moment + AHEAD_MS.most
      transaction(db, () => {
        bringNear.run(until)
        set.run(until)
      })
    },
  }
}
