/**
 * Single rows of a company's warehouse file, by what MongoDB calls them: the Key, and of a version its number behind it.
 */
import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { quoted } from '../../src/adapters/sqlite/warehouse/schema.ts'

/** By table, which rows. */
export type RowsByTable = ReadonlyMap<string, ReadonlySet<string>>

/** A copy of the file with the rows of another in place of these: what is then compared is the rest. */
export function withRowsOf(path: string, other: string, rows: RowsByTable): string {
  const copy = `${path}.compared`
  copyFileSync(path, copy)
  const db = new DatabaseSync(copy)
  try {
    db.prepare('ATTACH ? AS other').run(other)
    for (const [table, ids] of rows)
      for (const id of ids) {
        const { where, values } = placeOf(id)
        db.prepare(`DELETE FROM main.${quoted(table)} WHERE ${where}`).run(...values)
        db.prepare(
          `INSERT INTO main.${quoted(table)} SELECT * FROM other.${quoted(table)} WHERE ${where}`,
        ).run(...values)
      }
    return copy
  } finally {
    db.close()
  }
}

/** The row as text; undefined when there is none. */
export function rowText(db: DatabaseSync, table: string, id: string): string | undefined {
  const { where, values } = placeOf(id)
  const row = db.prepare(`SELECT * FROM ${quoted(table)} WHERE ${where}`).get(...values)
  return row && JSON.stringify(Object.values(row))
}

function placeOf(id: string): { readonly where: string; readonly values: readonly (string | number)[] } {
  const [key = '', version] = id.split(' ')
  return version === undefined
    ? { where: '"Key" = ?', values: [key] }
    : { where: '"Key" = ? AND "_Version" = ?', values: [key, Number(version)] }
}
