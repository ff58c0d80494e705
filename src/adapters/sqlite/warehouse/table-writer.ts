/**
 * One object's two tables in one company's file: a row for what the record is, and a row for each version it was.
 *
 * A row is built in the order of its columns; names of looked-up records are read where they stand, so that a history row
 * keeps the name as it was at that event, whatever the size of the batch.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { secondsOf } from '../../../domain/fields/dates.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import { cellsOf, type NamedLookup } from '../../../domain/warehouse/cells.ts'
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type Cell,
  type WarehouseTable,
} from '../../../domain/warehouse/columns.ts'
import type { Placed } from '../../../domain/warehouse/ordinals.ts'
import { quoted } from './schema.ts'

export interface TableWriter {
  /** @throws Error when the operation changes a record that is not there */
  write(placed: Placed): void
  /** The value of a column of a record; null when it has none. */
  valueOf(column: string, key: string): Cell
  /** All that this user, token or integration has done shows this name. */
  renameActor(actor: string, name: string): void
  /** Every row that looks this record up shows this name. */
  rename(lookup: string, nameColumn: string, key: string, name: Cell): void
}

/** The display value of a record of another table of the file. */
export type NameOf = (lookup: NamedLookup) => Cell

type Row = SQLInputValue[]

const FIXED = CURRENT_COLUMNS.length

export interface TableWriterOptions {
  readonly db: DatabaseSync
  readonly table: WarehouseTable
  /** The column that stands for the table's own records where they are looked up. */
  readonly display: string | undefined
  readonly nameOf: NameOf
  /** The name of who did something. */
  readonly actorName: (actor: string) => string
}

export function tableWriter({ db, table, display, nameOf, actorName }: TableWriterOptions): TableWriter {
  const { find, insert, close, add, renameActor } = statementsOf(db, table)
  const name = quoted(table.name)
  const places = new Map(table.columns.map((column, i) => [column.name, FIXED + i]))
  const update = updating(db, table)
  const changedCells = cellsOf(table)
  const values = new Map<string, StatementSync>()
  const renames = new Map<string, StatementSync>()
  const prepared = (known: Map<string, StatementSync>, column: string, sql: () => string) => {
    const statement = known.get(column) ?? db.prepare(sql())
    known.set(column, statement)
    return statement
  }

  return {
    write({ position, ordinal, operation: done }) {
      const { key, version, at, actor, operation, happening, reason = null, fields } = done
      const before = find.get(key) as unknown as Row | undefined
      if (!before && happening !== 'created') throw new Error(`${operation} of ${key}, which is not there`)
      const moment = secondsOf(at)
      const row: Row = before ?? [key, 0, moment, moment, version, ordinal, ...table.columns.map(() => null)]
      const previous = before?.[4] ?? null
      row[1] = Number(happening === 'deleted')
      row[3] = moment
      row[4] = version
      row[5] = ordinal
      const { cells, lookups } = changedCells(fields, position)
      const changed = new Set<number>()
      const set = (column: string, value: SQLInputValue) => {
        const place = places.get(column)!
        row[place] = value
        changed.add(place)
      }
      for (const [column, cell] of cells) set(column, bound(cell))
      for (const lookup of lookups)
        // One that looks itself up shows the name that this very event may give it.
        set(
          lookup.column,
          lookup.key === key && display !== undefined ? row[places.get(display)!]! : bound(nameOf(lookup)),
        )
      if (before) update(row, changed)
      else insert.run(...row)
      // A clock that was set back does not make a version that ends before it begins.
      const closed = before && close.get(moment, key, previous)
      const validFrom = (closed?.['ValidTo'] as string | undefined) ?? moment
      const [, isDeleted, createdAt, modifiedAt] = row as [string, number, string, string]
      const dates = [isDeleted, createdAt, modifiedAt, ordinal]
      const by = [actor, actorName(actor), reason]
      add.run(key, version, validFrom, null, operation, ...by, ...dates, ...row.slice(FIXED))
    },
    valueOf(column, key) {
      const sql = () => `SELECT ${quoted(column)} AS value FROM ${name} WHERE "Key" = ?`
      return (prepared(values, column, sql).get(key)?.['value'] as Cell | undefined) ?? null
    },
    renameActor: (actor, shown) => void renameActor.run(shown, actor),
    rename(lookup, nameColumn, key, shown) {
      const sql = () => `UPDATE ${name} SET ${quoted(nameColumn)} = ? WHERE ${quoted(lookup)} = ?`
      prepared(renames, lookup, sql).run(bound(shown), key)
    },
  }
}

/** Those of the columns before a table's own that an update changes. */
const ALWAYS = CURRENT_COLUMNS.flatMap(({ name }, place) =>
  ['Key', 'CreatedAt'].includes(name) ? [] : [place],
)
/** As many sets of columns that changed together keep their statement. */
const MOST_STATEMENTS = 100

/** Sets what has changed and no other column: SQLite writes an index again for each of its columns that is set, also to the same. */
function updating(db: DatabaseSync, table: WarehouseTable) {
  const names = [...CURRENT_COLUMNS, ...table.columns].map(({ name }) => quoted(name))
  const statements = recentlyUsed<StatementSync>(MOST_STATEMENTS)
  const prepare = (places: readonly number[]) =>
    db.prepare(
      `UPDATE ${quoted(table.name)} SET ${places.map((place) => `${names[place]!} = ?`).join(', ')} WHERE "Key" = ?`,
    )
  return (row: Row, changed: ReadonlySet<number>): void => {
    const places = [...ALWAYS, ...changed]
    const together = places.join(' ')
    let statement = statements.get(together)
    if (!statement) statements.set(together, (statement = prepare(places)))
    statement.run(...places.map((place) => row[place]!), row[0]!)
  }
}

function statementsOf(db: DatabaseSync, table: WarehouseTable) {
  const name = quoted(table.name)
  const history = quoted(historyName(table.name))
  const names = (fixed: typeof CURRENT_COLUMNS) =>
    [...fixed, ...table.columns].map((column) => quoted(column.name))
  const [current, ofHistory] = [names(CURRENT_COLUMNS), names(HISTORY_COLUMNS)]
  const insertInto = (into: string, columns: readonly string[]) =>
    db.prepare(`INSERT INTO ${into} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
  const find = db.prepare(`SELECT ${current.join(', ')} FROM ${name} WHERE "Key" = ?`)
  find.setReturnArrays(true)
  return {
    find,
    insert: insertInto(name, current),
    close: db.prepare(
      `UPDATE ${history} SET "ValidTo" = max("ValidFrom", ?) WHERE "Key" = ? AND "_Version" = ? RETURNING "ValidTo"`,
    ),
    add: insertInto(history, ofHistory),
    renameActor: db.prepare(`UPDATE ${history} SET "ChangedBy_Name" = ? WHERE "ChangedBy" = ?`),
  }
}

const bound = (cell: Cell): SQLInputValue => (typeof cell === 'boolean' ? Number(cell) : cell)
