/**
 * The catalogue as SQL: what is created, and what is added to a file that is there already.
 *
 * Declared types inform tools; they also decide how SQLite keeps a value. REAL, not DECIMAL, for amounts: an
 * amount that was kept as an integer would be divided as one (`1000 / 3`). TEXT for JSON: a bare `5` stays text.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type ColumnType,
  type FixedColumn,
  type WarehouseTable,
} from '../../../domain/warehouse/columns.ts'

const DECLARED: { readonly [type in ColumnType]: string } = {
  text: 'TEXT',
  integer: 'INTEGER',
  decimal: 'REAL',
  money: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  json: 'TEXT',
}

/** What the service keeps beside the tables; the first two are for analysts to read. */
const OWN_TABLES = `
  CREATE TABLE IF NOT EXISTS wh__columns (
    TableName TEXT NOT NULL, ColumnName TEXT NOT NULL, Type TEXT NOT NULL, Field TEXT, Description TEXT NOT NULL,
    Unit TEXT, IsPersonal BOOLEAN NOT NULL, IsCurrent BOOLEAN NOT NULL, PRIMARY KEY (TableName, ColumnName));
  CREATE TABLE IF NOT EXISTS wh__schema_log (
    Entry INTEGER PRIMARY KEY, At TIMESTAMP NOT NULL, TableName TEXT NOT NULL,
    ColumnName TEXT, Change TEXT NOT NULL, Note TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS wh__state (
    Entry INTEGER PRIMARY KEY CHECK (Entry = 1), Position INTEGER NOT NULL, Ordinal INTEGER NOT NULL, Catalogue TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS wh__actors (Key TEXT PRIMARY KEY, Name TEXT NOT NULL) WITHOUT ROWID;`

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Brings a file, new or old, to the catalogue. Within the caller's transaction. */
export function bringUpToDate(db: DatabaseSync, catalogue: Catalogue): void {
  db.exec(OWN_TABLES)
  for (const table of catalogue.tables) {
    ensureTable(db, table.name, CURRENT_COLUMNS, 'PRIMARY KEY ("Key")', table)
    ensureTable(db, historyName(table.name), HISTORY_COLUMNS, 'PRIMARY KEY ("Key", "_Version")', table)
    // By these a renamed record finds those that show it; joins of analysts use them too.
    for (const { name, part, target } of table.columns)
      if (part === 'value' && target)
        db.exec(
          `CREATE INDEX IF NOT EXISTS ${quoted(`${table.name} by ${name}`)} ON ${quoted(table.name)} (${quoted(name)})`,
        )
  }
  describe(db, catalogue)
}

function ensureTable(
  db: DatabaseSync,
  name: string,
  fixed: readonly FixedColumn[],
  key: string,
  { columns }: WarehouseTable,
): void {
  const declared = ({ name: column, type }: FixedColumn) => `${quoted(column)} ${DECLARED[type]}`
  const there = new Set(
    db
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(name)
      .map((row) => row['name']),
  )
  if (there.size === 0) {
    db.exec(`CREATE TABLE ${quoted(name)} (${[...fixed, ...columns].map(declared).join(', ')}, ${key})`)
    return
  }
  for (const column of [...fixed, ...columns])
    if (!there.has(column.name)) db.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${declared(column)}`)
}

function describe(db: DatabaseSync, { tables, changes }: Catalogue): void {
  db.exec('DELETE FROM wh__columns; DELETE FROM wh__schema_log')
  const column = db.prepare('INSERT INTO wh__columns VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  for (const table of tables)
    for (const [name, fixed] of [
      [table.name, CURRENT_COLUMNS],
      [historyName(table.name), HISTORY_COLUMNS],
    ] as const) {
      for (const one of fixed)
        column.run(name, one.name, one.type, null, one.description, null, Number(one.personal === true), 1)
      for (const { name: own, type, field, description, unit = null, personal, current } of table.columns)
        column.run(name, own, type, field, description, unit, Number(personal === true), Number(current))
    }
  const change = db.prepare('INSERT INTO wh__schema_log VALUES (NULL, ?, ?, ?, ?, ?)')
  for (const { at, table, column: name, change: what, note } of changes)
    change.run(at, table, name || null, what, note)
}
