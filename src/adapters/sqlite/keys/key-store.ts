/**
 * Keys of companies in a file of their own, `keys.db`. What is deleted is overwritten on the disk; each change is on the
 * disk before it is answered.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { KeptKey, KeyStore } from '../../../ports/key-store.ts'
import { transaction } from '../files/open.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS store (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS keys (
    company TEXT NOT NULL,
    purpose TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (company, purpose)
  ) STRICT, WITHOUT ROWID;`

export function sqliteKeyStore(path: string): KeyStore {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  chmodSync(path, 0o600)
  // Not a write-ahead log: it would hold pages of destroyed keys until it is written over.
  db.exec(`PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON; ${SCHEMA}`)
  db.prepare('INSERT OR IGNORE INTO store VALUES (1, ?)').run(randomUUID())
  const id = db.prepare('SELECT id FROM store').get()!['id'] as string
  const find = db.prepare('SELECT sealed FROM keys WHERE company = ? AND purpose = ?')
  const add = db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?)')
  const list = db.prepare('SELECT company, purpose, sealed FROM keys')
  const replace = db.prepare('UPDATE keys SET sealed = ? WHERE company = ? AND purpose = ? AND sealed = ?')
  const destroy = db.prepare('DELETE FROM keys WHERE purpose >= ? AND purpose < ?')
  const found = (company: string, purpose: string) =>
    find.get(company, purpose)?.['sealed'] as string | undefined

  return {
    id: async () => id,
    find: async (company, purpose) => found(company, purpose),
    async add(company, purpose, sealed) {
      add.run(company, purpose, sealed)
      return found(company, purpose)!
    },
    list: async () => list.all() as unknown as KeptKey[],
    async replace(keys) {
      transaction(db, () => {
        for (const { company, purpose, sealed, by } of keys) replace.run(by, company, purpose, sealed)
      })
    },
    async destroy(prefix, before) {
      destroy.run(prefix, before)
    },
    close: async () => db.close(),
  }
}
