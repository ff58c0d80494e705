/** How many records each object and company has, and how many of them have come or gone elsewhere than at the end. */
import type { DatabaseSync } from 'node:sqlite'
import { prepareWrite } from '../files/open.ts'

export interface RecordTotals {
  /**
   * Notes for this transaction that so many records came (or went: negative), and how many of them elsewhere than at the end of the
   * order of creation.
   */
  grow(object: string, company: number, by: number, moved: number): void
  /** Writes what was noted. */
  write(): void
  /** Forgets what was noted. */
  clear(): void
}

export function createTotals(db: DatabaseSync): void {
  db.exec(`CREATE TABLE IF NOT EXISTS totals
    (object TEXT, company INTEGER, total INTEGER NOT NULL, moved INTEGER NOT NULL, PRIMARY KEY (object, company))`)
}

export function openTotals(db: DatabaseSync): RecordTotals {
  const add = prepareWrite(
    db,
    `INSERT INTO totals VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET total = total + excluded.total, moved = moved + excluded.moved`,
  )
  const noted = new Map<string, { object: string; company: number; by: number; moved: number }>()
  return {
    grow(object, company, by, moved) {
      const id = `${object} ${company}`
      const entry = noted.get(id)
      if (!entry) return void noted.set(id, { object, company, by, moved })
      entry.by += by
      entry.moved += moved
    },
    write() {
      for (const { object, company, by, moved } of noted.values()) add.run(object, company, by, moved)
    },
    clear: () => noted.clear(),
  }
}
