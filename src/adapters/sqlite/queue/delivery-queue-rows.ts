/**
 * The table of the embedded delivery queue: one row a hint, in a file of its own.
 *
 * `due` is when a row may be taken. Taking it moves `due` on by a lease, which its holder renews while it works: when the
 * holder dies, the row comes due by itself. `taken` counts the takings and names the lease, so that a holder that lost
 * its lease cannot settle the row of the next.
 *
 * The file is written with `synchronous=NORMAL`: what is committed survives the kill of the process; a power cut may
 * take the last hints, and the sweep of the outbox brings them back.
 */
import type { DatabaseSync } from 'node:sqlite'
import { pauseAfter, type Delivery } from '../../../ports/delivery-queue.ts'
import { openForWriting, transaction } from '../files/open.ts'

/** A row that is leased to the caller. */
export interface Taken {
  readonly delivery: Delivery
  readonly seq: number
  readonly taken: number
  /** How often in a row it has failed until now. */
  readonly failures: number
}

/** What is kept of a row that was taken: nothing; the row, after a pause or at once; or a fresh row, due later. */
export type Outcome = 'gone' | 'failed' | 'handed back' | { readonly againInMs: number }

export interface DeliveryRows {
  /** All work done by `work` is stored, or none. */
  together<T>(work: () => T): T
  add(delivery: Delivery, due: number): void
  /** Leases up to `limit` rows that are due, the longest due first. */
  take(now: number, limit: number, leaseMs: number): Taken[]
  renew(row: Taken, until: number): void
  settle(row: Taken, outcome: Outcome, now: number): void
  /** When the next row comes due; undefined when there is none. */
  nextDue(): number | undefined
  /** `failing`: those that have failed `limit` times or more. */
  count(limit: number): { readonly all: number; readonly failing: number }
  /** The latest moment at which anything was stored; 0 in a new file. */
  lastMoment(): number
  keepMoment(now: number): void
  close(): void
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    company TEXT NOT NULL,
    due INTEGER NOT NULL,
    leased INTEGER NOT NULL DEFAULT 0,
    taken INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due);
  CREATE INDEX IF NOT EXISTS deliveries_failing ON deliveries (failures) WHERE failures > 0;
  CREATE TABLE IF NOT EXISTS moment (now INTEGER NOT NULL);
  INSERT INTO moment SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM moment);`

export function openDeliveryRows(path: string): DeliveryRows {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 })
  // Checkpoints small enough to be made on the way; and nobody else has business here for long.
  db.exec('PRAGMA wal_autocheckpoint = 500; PRAGMA busy_timeout = 250')
  db.exec(TABLES)
  return deliveryRows(db)
}

function deliveryRows(db: DatabaseSync): DeliveryRows {
  const insert = db.prepare('INSERT INTO deliveries (id, endpoint, company, due) VALUES (?, ?, ?, ?)')
  const due = db.prepare(
    'SELECT seq, id, endpoint, company, leased, taken, failures FROM deliveries WHERE due <= ? ORDER BY due, seq LIMIT ?',
  )
  const lease = db.prepare(
    'UPDATE deliveries SET due = ?, leased = 1, taken = taken + 1, failures = ? WHERE seq = ?',
  )
  const renew = db.prepare('UPDATE deliveries SET due = ? WHERE seq = ? AND taken = ?')
  const remove = db.prepare('DELETE FROM deliveries WHERE seq = ? AND taken = ?')
  const putBack = db.prepare(
    'UPDATE deliveries SET due = ?, leased = 0, failures = ? WHERE seq = ? AND taken = ?',
  )
  const earliest = db.prepare('SELECT min(due) AS due FROM deliveries')
  const countAll = db.prepare('SELECT count(*) AS rows FROM deliveries')
  const countFailing = db.prepare(
    'SELECT count(*) AS rows FROM deliveries WHERE failures > 0 AND failures >= ?',
  )
  const readMoment = db.prepare('SELECT now FROM moment')
  const writeMoment = db.prepare('UPDATE moment SET now = max(now, ?)')

  return {
    together: (work) => transaction(db, work),
    add: ({ id, endpoint, company }, at) => void insert.run(id, endpoint, company, at),
    take(now, limit, leaseMs) {
      const rows = due.all(now, limit) as unknown as Row[]
      return rows.map(({ seq, id, endpoint, company, leased, taken, failures }) => {
        // Still leased: its holder died over it, which counts as a failure.
        const failed = failures + leased
        lease.run(Math.ceil(now + leaseMs), failed, seq)
        return { delivery: { id, endpoint, company }, seq, taken: taken + 1, failures: failed }
      })
    },
    renew: ({ seq, taken }, until) => void renew.run(Math.ceil(until), seq, taken),
    settle({ seq, taken, failures }, outcome, now) {
      if (outcome === 'gone') remove.run(seq, taken)
      else if (outcome === 'failed')
        putBack.run(Math.ceil(now + pauseAfter(failures + 1)), failures + 1, seq, taken)
      else if (outcome === 'handed back') putBack.run(Math.ceil(now), failures, seq, taken)
      else putBack.run(Math.ceil(now + outcome.againInMs), 0, seq, taken)
    },
    nextDue: () => (earliest.get() as { due: number | null }).due ?? undefined,
    count: (limit) => ({
      all: (countAll.get() as { rows: number }).rows,
      failing: (countFailing.get(limit) as { rows: number }).rows,
    }),
    lastMoment: () => (readMoment.get() as { now: number }).now,
    keepMoment: (now) => void writeMoment.run(Math.ceil(now)),
    close: () => db.close(),
  }
}

interface Row {
  readonly seq: number
  readonly id: string
  readonly endpoint: string
  readonly company: string
  readonly leased: number
  readonly taken: number
  readonly failures: number
}
