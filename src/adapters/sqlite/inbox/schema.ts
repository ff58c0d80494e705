/** Tables of `inbox.db`. `due` is when a row is to be looked at, `look` the same or when who has taken it must be done. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS inbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company TEXT NOT NULL,
    integration TEXT NOT NULL,
    entry TEXT NOT NULL,
    source TEXT NOT NULL,
    payload TEXT NOT NULL,
    received INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    arrivals INTEGER NOT NULL DEFAULT 1,
    attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER,
    look INTEGER,
    subject TEXT,
    results TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX IF NOT EXISTS inbox_due ON inbox (look, number) WHERE look IS NOT NULL;
  CREATE INDEX IF NOT EXISTS inbox_undecided ON inbox (integration) WHERE state IN ('stored', 'waiting');
  CREATE INDEX IF NOT EXISTS inbox_waiting ON inbox (integration, subject) WHERE state = 'waiting';
  CREATE INDEX IF NOT EXISTS inbox_log ON inbox (company, integration, received);
  CREATE INDEX IF NOT EXISTS inbox_age ON inbox (received)`
