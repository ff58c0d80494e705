/**
 * Joins of which SQLite does not say what they read: for `NATURAL` and `USING` it compares columns without asking the
 * authorizer, so that values can be guessed, and the guesses confirmed, of columns and tables that are not granted.
 *
 * Where everything is granted they are harmless. Else they are refused by their words, wherever these stand: to find out
 * which of them are text or comments would take SQLite's own parser.
 */
import type { DatabaseSync } from 'node:sqlite'

/** With nothing before or after it that would make it a part of a longer name. A digit is: `?1NATURAL` is two words. */
const WORDS = /(?<![a-z_$\u0080-\uffff])(natural|using)(?![\w$\u0080-\uffff])/i

/** Why the statement is refused; undefined when it is not. To be called before the authorizer is set. */
export function unseenJoin(
  db: DatabaseSync,
  sql: string,
  readable: { readonly [table: string]: readonly string[] },
): string | undefined {
  const word = WORDS.exec(sql)?.[1]
  if (word === undefined || isWhole(db, readable)) return undefined
  return `${word.toUpperCase()} cannot be used, not even within text, unless every table is granted to you; join with ON`
}

function isWhole(db: DatabaseSync, readable: { readonly [table: string]: readonly string[] }): boolean {
  const columns = db.prepare(
    "SELECT s.name AS tableName, c.name AS columnName FROM sqlite_schema AS s, pragma_table_info(s.name) AS c WHERE s.type = 'table' AND s.name NOT LIKE 'wh\\_\\_%' ESCAPE '\\'",
  )
  return columns
    .all()
    .every((row) => readable[row['tableName'] as string]?.includes(row['columnName'] as string))
}
