/** A company's warehouse as an SQLite file that is written once, from rows that are there already. */
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Cell } from '../../../domain/warehouse/columns.ts'
import { transaction } from '../files/open.ts'
import { openWarehouseFile } from './company-file.ts'
import { quoted } from './schema.ts'

/** Its tables are empty at first. */
export function writeCompanyFile(path: string, catalogue: Catalogue) {
  const db = openWarehouseFile(path, catalogue)
  return {
    /** Adds rows to the table, with their cells in the order of the columns. */
    table(name: string, columns: readonly string[]) {
      const names = columns.map(quoted)
      const insert = db.prepare(
        `INSERT INTO ${quoted(name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      )
      return (rows: readonly (readonly Cell[])[]) =>
        transaction(db, () => {
          for (const row of rows)
            insert.run(...row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
        })
    },
    close: () => db.close(),
  }
}
