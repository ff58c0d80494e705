/** A copy of a company's warehouse that is kept on a server: what analysts ask in SQL, on a process's own disk. */
import { rmSync } from 'node:fs'
import type { Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Cell } from '../../../domain/warehouse/columns.ts'
import { transaction } from '../files/open.ts'
import { openWarehouseFile } from './company-file.ts'
import { quoted } from './schema.ts'

export interface CopyFile {
  /** Everything that the server had up to here is in the copy. */
  position(): Position
  /** Which building of the warehouse it is a copy of. */
  built(): number
  /** Takes over rows as they are now, by the table's key. */
  put(rows: CopiedRows): void
  arrived(position: Position, built: number): void
  close(): void
}

export interface CopiedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export function openCopyFile(path: string, catalogue: Catalogue): CopyFile {
  const db = openWarehouseFile(path, catalogue)
  const readPosition = db.prepare('SELECT Position FROM wh__state')
  const setPosition = db.prepare('UPDATE wh__state SET Position = ?')
  return {
    position: () => readPosition.get()?.['Position'] as number,
    built: () => db.prepare('PRAGMA user_version').get()?.['user_version'] as number,
    put({ table, columns, rows }) {
      const names = columns.map(quoted).join(', ')
      const marks = columns.map(() => '?').join(', ')
      // Not REPLACE: a row would lose its place, and exports their order.
      const updates = columns.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ')
      const put = db.prepare(
        `INSERT INTO ${quoted(table)} (${names}) VALUES (${marks}) ON CONFLICT DO UPDATE SET ${updates}`,
      )
      transaction(db, () => {
        for (const row of rows)
          put.run(...row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
      })
    },
    arrived: (position, built) =>
      transaction(db, () => {
        setPosition.run(position)
        db.exec(`PRAGMA user_version = ${Math.trunc(built)}`)
      }),
    close: () => db.close(),
  }
}

export function removeCopy(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
