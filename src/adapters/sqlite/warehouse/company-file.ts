/**
 * One company's warehouse: an SQLite file of its own, which tools may open read-only while it is written.
 *
 * The position is in the same transaction as the rows that it covers.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Position } from '../../../domain/events/event.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { NamedLookup } from '../../../domain/warehouse/cells.ts'
import type { Cell } from '../../../domain/warehouse/columns.ts'
import type { Step } from '../../../ports/projection-store.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import { placed, type Placed, type Reached } from '../../../domain/warehouse/ordinals.ts'
import { openForWriting, transaction } from '../files/open.ts'
import { displayColumns, showing } from '../../../domain/warehouse/names.ts'
import { bringUpToDate, quoted } from './schema.ts'
import { tableWriter, type TableWriter } from './table-writer.ts'

export interface CompanyFile {
  /** Everything of the company up to here is in the file. */
  position(): Position
  /** Applies the steps after the position, of events of this company, and moves it to the last of them; all or nothing. */
  apply(steps: readonly Step<WarehouseOperation>[]): void
  /** Takes over everything of another file, which was built beside this one, in one transaction. */
  takeOver(path: string): void
  close(): void
}

const MOST_NAMES = 1_000

/** Pages of 4 KiB that may wait in the write-ahead log. */
const CHECKPOINT_PAGES = 4_000

/** Opens a company's file, and brings it to the catalogue when it is new or older. */
export function openWarehouseFile(path: string, catalogue: Catalogue): DatabaseSync {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 16 })
  try {
    // No request waits for a WAL checkpoint of this thread.
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    const text = JSON.stringify(catalogue)
    transaction(db, () => {
      if (isAt(db, text)) return
      bringUpToDate(db, catalogue)
      db.prepare(
        'INSERT INTO wh__state VALUES (1, 0, 0, ?) ON CONFLICT (Entry) DO UPDATE SET Catalogue = excluded.Catalogue',
      ).run(text)
    })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function openCompanyFile(path: string, catalogue: Catalogue): CompanyFile {
  const db = openWarehouseFile(path, catalogue)
  const readState = db.prepare('SELECT Position, Ordinal FROM wh__state')
  const setState = db.prepare('UPDATE wh__state SET Position = ?, Ordinal = ?')
  const writers = new Map<string, TableWriter>()
  const actors = actorNames(db)
  // Tables of names that are no longer used come last in the catalogue; the first is the one to write.
  const tables = new Map(catalogue.tables.toReversed().map((table) => [table.object, table]))
  const displays = displayColumns(catalogue)
  const shownBy = showing(catalogue)

  const writerOf = (object: string): TableWriter => {
    let writer = writers.get(object)
    if (!writer) {
      const table = tables.get(object)
      if (!table) throw new Error(`the warehouse has no table of the object ${object}`)
      const display = displays.get(object)?.column
      const nameOf = (lookup: NamedLookup) => displayOf(lookup.object, lookup.key)
      writer = tableWriter({ db, table, display, nameOf, actorName: actors.nameOf })
      writers.set(object, writer)
    }
    return writer
  }
  /** Of records that were looked up, by their Keys; what a transaction writes, or loses, is read again. */
  const names = recentlyUsed<Cell>(MOST_NAMES)
  const displayOf = (object: string, key: string): Cell => {
    const known = names.get(key)
    if (known !== undefined) return known
    const column = displays.get(object)?.column
    const name = column === undefined ? null : writerOf(object).valueOf(column, key)
    names.set(key, name)
    return name
  }
  const applyOne = (one: Placed) => {
    const { operation } = one
    const { object, key, fields } = operation
    names.delete(key)
    writerOf(object).write(one)
    const display = displays.get(object)
    if (!display || operation.happening === 'created' || !(display.field in fields)) return
    const name = displayOf(object, key)
    for (const { by, lookup, nameColumn } of shownBy.get(object) ?? [])
      writerOf(by).rename(lookup, nameColumn, key, name)
  }
  const reached = (): Reached => {
    const { Position: position, Ordinal: ordinal } = readState.get() as { Position: number; Ordinal: number }
    return { position, ordinal }
  }

  return {
    position: () => reached().position,
    apply(steps) {
      try {
        transaction(db, () => {
          const company = steps[0]!.operations[0]!.company
          const moved = new Map([[company, reached()]])
          const { operations, named } = placed(steps, moved)
          for (const { actor, name, isNew } of named) {
            actors.set(actor, name)
            if (!isNew) for (const object of tables.keys()) writerOf(object).renameActor(actor, name)
          }
          for (const one of operations) applyOne(one)
          const { position, ordinal } = moved.get(company)!
          setState.run(position, ordinal)
        })
      } catch (error) {
        names.clear()
        actors.forget()
        throw error
      }
    },
    takeOver(path) {
      names.clear()
      actors.forget()
      copyAll(db, path)
    },
    close: () => db.close(),
  }
}

/** Who may do something, with the names that histories show. */
function actorNames(db: DatabaseSync) {
  const find = db.prepare('SELECT Name FROM wh__actors WHERE Key = ?')
  const put = db.prepare(
    'INSERT INTO wh__actors VALUES (?, ?) ON CONFLICT (Key) DO UPDATE SET Name = excluded.Name',
  )
  const known = recentlyUsed<string>(MOST_NAMES)
  return {
    nameOf(actor: string): string {
      const name = known.get(actor) ?? (find.get(actor)?.['Name'] as string | undefined) ?? actor
      known.set(actor, name)
      return name
    },
    set(actor: string, name: string) {
      put.run(actor, name)
      known.delete(actor)
    },
    forget: () => known.clear(),
  }
}

/** In a copy for clients: nothing of how the service keeps it, such as places in the log, which all companies share. */
export function forgetState(path: string): void {
  const db = new DatabaseSync(path)
  try {
    db.exec(
      'PRAGMA secure_delete = ON; DROP TABLE wh__state; DROP TABLE wh__actors; PRAGMA journal_mode = DELETE',
    )
  } finally {
    db.close()
  }
}

/** Every table of the other file in place of this one's. */
function copyAll(db: DatabaseSync, path: string): void {
  db.prepare('ATTACH ? AS built').run(path)
  try {
    transaction(db, () => {
      const tables = db.prepare("SELECT name FROM built.sqlite_schema WHERE type = 'table' ORDER BY name")
      for (const name of tables.all().map((row) => quoted(row['name'] as string))) {
        const columns = columnsOf(db, name)
        db.exec(`DELETE FROM main.${name}`)
        db.exec(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM built.${name}`)
      }
    })
  } finally {
    db.exec('DETACH built')
  }
}

function isAt(db: DatabaseSync, catalogue: string): boolean {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'wh__state'").get()
  return (
    there !== undefined && db.prepare('SELECT Catalogue FROM wh__state').get()?.['Catalogue'] === catalogue
  )
}

/** By name: columns that were added later stand elsewhere in a file that was made at once. */
function columnsOf(db: DatabaseSync, table: string): string {
  const rows = db.prepare(`PRAGMA built.table_info(${table})`).all()
  return rows.map((row) => quoted(row['name'] as string)).join(', ')
}
