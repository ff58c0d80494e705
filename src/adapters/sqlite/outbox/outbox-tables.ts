/**
 * The tables of the embedded outbox, `webhooks.db`: endpoints, messages, deliveries, replays, and how far it has come.
 *
 * A delivery keeps its attempts with it, as JSON: most have one. `due` is by the outbox's own clock, which never goes
 * back; it means something for pending deliveries only.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openForWriting } from '../files/open.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS standing (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL,
    now INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS endpoints (
    key TEXT PRIMARY KEY,
    company TEXT NOT NULL,
    active INTEGER NOT NULL,
    ordered INTEGER NOT NULL,
    json TEXT NOT NULL,
    failing_since INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company TEXT NOT NULL,
    event TEXT NOT NULL,
    record TEXT NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_of_record ON messages (record);
  CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    endpoint TEXT NOT NULL,
    message INTEGER NOT NULL,
    record TEXT NOT NULL,
    event TEXT NOT NULL,
    state TEXT NOT NULL,
    due INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    ended INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    log TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (endpoint, due, seq) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_of_record ON deliveries (endpoint, record, seq) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_of_endpoint ON deliveries (endpoint, seq);
  CREATE INDEX IF NOT EXISTS deliveries_of_message ON deliveries (message);
  CREATE INDEX IF NOT EXISTS deliveries_ended ON deliveries (ended) WHERE ended IS NOT NULL;
  CREATE TABLE IF NOT EXISTS replays (
    id TEXT PRIMARY KEY,
    json TEXT NOT NULL,
    position INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
  ) STRICT;`

/**
 * What is committed survives a kill; a power cut may take the last moments, rows and position alike. The file itself and
 * its tables survive one from the start.
 */
export function openOutboxTables(path: string): DatabaseSync {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 16 })
  db.exec('PRAGMA synchronous = FULL')
  db.exec(TABLES)
  db.exec('INSERT OR IGNORE INTO standing (one, position, now) VALUES (1, 0, 0)')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 2000')
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return db
}
