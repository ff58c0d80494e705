/**
 * Rows as a batch of events leaves them: the versions that came to be, and the records as they then are. Pure: engines read
 * what is there, hand it in, and write what comes out in bulk.
 *
 * Events are taken one after the other, names included: a version keeps the name of a lookup as it was at its event,
 * whatever the size of the batch. A record that has an event already, from a write that was cut off, passes it over; its
 * new name is passed on all the same, because that write may not have come so far.
 */
import type { Company, Position } from '../events/event.ts'
import { secondsOf } from '../fields/dates.ts'
import type { Catalogue } from './catalogue.ts'
import { cellsOf, type CellsOf } from './cells.ts'
import type { Cell, WarehouseTable } from './columns.ts'
import { displayColumns, showing, type Showing } from './names.ts'
import type { RecordOperation } from './operation.ts'
import type { Placed } from './ordinals.ts'

/** A record as the batch has left it so far. */
export interface Row {
  readonly table: WarehouseTable
  readonly company: Company
  readonly key: string
  cells: Map<string, Cell>
  isDeleted: boolean
  readonly createdAt: string
  modifiedAt: string
  version: number
  /** Of its last event. */
  ordinal: number
  /** Of the last version. */
  validFrom: string
  /** Position of the last event that changed the row: its own, or one that renamed a record that it shows. */
  stamp: Position
  /** The stamp that was stored; undefined: the row was not there. */
  readonly before: Position | undefined
}

/** One version of a record: a row of its history. */
export interface Version {
  readonly table: WarehouseTable
  readonly company: Company
  readonly key: string
  readonly version: number
  readonly validFrom: string
  /** Null: it is the last. */
  validTo: string | null
  readonly operation: string
  readonly actor: string
  readonly reason: string | null
  readonly isDeleted: boolean
  readonly createdAt: string
  readonly modifiedAt: string
  readonly ordinal: number
  readonly cells: ReadonlyMap<string, Cell>
}

/** A version that was there before the batch, and ends in it. */
export type Ended = Pick<Version, 'table' | 'company' | 'key' | 'version'> & { readonly validTo: string }

/** Every row of table `by` whose `lookup` is the Key shows this name. */
export interface Renamed extends Showing {
  readonly company: Company
  readonly key: string
  readonly name: Cell
  readonly position: Position
}

export interface Folded {
  readonly versions: readonly Version[]
  readonly ended: readonly Ended[]
  /** In the order of their positions; of several names of one record the last. */
  readonly renamed: readonly Renamed[]
}

/** What a catalogue says of rows, made once. */
export interface Folding {
  /** The table that an object's records are written to. @throws Error when the object has none */
  table(object: string): WarehouseTable
  /** All that are written to. */
  tables(): readonly WarehouseTable[]
  cells(object: string): CellsOf
  readonly displays: ReturnType<typeof displayColumns>
  readonly shownBy: ReturnType<typeof showing>
}

export interface FoldOf {
  readonly folding: Folding
  /** In the order of their positions, of any companies. */
  readonly operations: readonly Placed[]
  /** Rows of the operations' records that are there, by `rowId`; changed in place, and new ones added. */
  readonly rows: Map<string, Row>
  /** Names of looked-up records that are not among them, by `rowId`. */
  readonly names: ReadonlyMap<string, Cell>
}

/** Companies' Keys have no blanks. */
export const rowId = (company: Company, key: string): string => `${company} ${key}`

export function foldingOf(catalogue: Catalogue): Folding {
  // Tables of names that are no longer used come last in the catalogue; the first is the one to write.
  const tables = new Map(catalogue.tables.toReversed().map((table) => [table.object, table]))
  const cells = new Map([...tables].map(([object, table]) => [object, cellsOf(table)]))
  return {
    table(object) {
      const table = tables.get(object)
      if (!table) throw new Error(`the warehouse has no table of the object ${object}`)
      return table
    },
    tables: () => [...tables.values()],
    cells: (object) => cells.get(object)!,
    displays: displayColumns(catalogue),
    shownBy: showing(catalogue),
  }
}

/** Which records' names the batch needs that are not among its rows, by object. */
export function lookedUp(
  folding: Folding,
  operations: readonly Placed[],
  rows: ReadonlyMap<string, Row>,
): Map<string, Map<string, { readonly company: Company; readonly key: string }>> {
  const wanted = new Map<string, Map<string, { readonly company: Company; readonly key: string }>>()
  for (const { position, operation } of operations) {
    const { company, object, fields } = operation
    for (const lookup of folding.cells(object)(fields, position).lookups) {
      const id = rowId(company, lookup.key)
      if (rows.has(id)) continue
      const ofObject = wanted.get(lookup.object) ?? new Map<string, { company: Company; key: string }>()
      wanted.set(lookup.object, ofObject.set(id, { company, key: lookup.key }))
    }
  }
  return wanted
}

/** @throws Error for an operation that changes a record which is not there */
export function fold({ folding, operations, rows, names }: FoldOf): Folded {
  const versions: Version[] = []
  const ended: Ended[] = []
  const renamed = new Map<string, Renamed>()
  const latest = new Map<string, Version>()
  for (const { position, ordinal, operation } of operations) {
    const { company, object, key, version, happening } = operation
    const id = rowId(company, key)
    const known = rows.get(id)
    if (!known && happening !== 'created')
      throw new Error(`${operation.operation} of ${key}, which is not there`)
    if (known && ordinal <= known.ordinal) {
      rename(folding, operation, known, position, rows, renamed)
      continue
    }
    const at = secondsOf(operation.at)
    const row = known ?? newRow(folding.table(object), company, key, at)
    const previous = row.version
    // A clock that was set back does not make a version that ends before it begins.
    const validFrom = known && row.validFrom > at ? row.validFrom : at
    row.cells = cellsAfter(folding, operation, row, position, rows, names)
    row.isDeleted = happening === 'deleted'
    row.modifiedAt = at
    row.version = version
    row.ordinal = ordinal
    row.stamp = position
    row.validFrom = validFrom
    rows.set(id, row)

    const last = latest.get(id)
    if (last) last.validTo = validFrom
    else if (known) ended.push({ table: row.table, company, key, version: previous, validTo: validFrom })
    const made = versionOf(row, operation)
    versions.push(made)
    latest.set(id, made)
    rename(folding, operation, row, position, rows, renamed)
  }
  return { versions, ended, renamed: [...renamed.values()] }
}

function cellsAfter(
  folding: Folding,
  { company, object, key, fields }: RecordOperation,
  row: Row,
  position: Position,
  rows: ReadonlyMap<string, Row>,
  names: ReadonlyMap<string, Cell>,
): Map<string, Cell> {
  const changed = folding.cells(object)(fields, position)
  const cells = new Map([...row.cells, ...changed.cells])
  for (const lookup of changed.lookups) {
    const display = folding.displays.get(lookup.object)?.column
    const id = rowId(company, lookup.key)
    // One that looks itself up shows the name that this very event may give it.
    const there = lookup.key === key ? cells : rows.get(id)?.cells
    const name = there ? display && there.get(display) : names.get(id)
    cells.set(lookup.column, name ?? null)
  }
  return cells
}

/** Rows that look the record up show its new name: those of the batch at once, the others when the batch is written. */
function rename(
  { displays, shownBy }: Folding,
  { company, object, key, happening, fields }: RecordOperation,
  row: Row,
  position: Position,
  rows: ReadonlyMap<string, Row>,
  renamed: Map<string, Renamed>,
): void {
  const display = displays.get(object)
  if (!display || happening === 'created' || !(display.field in fields)) return
  const name = row.cells.get(display.column) ?? null
  for (const shown of shownBy.get(object) ?? []) {
    const id = `${shown.by} ${shown.nameColumn} ${rowId(company, key)}`
    renamed.delete(id)
    renamed.set(id, { ...shown, company, key, name, position })
    for (const other of rows.values()) {
      const shows =
        other.table.object === shown.by && other.company === company && other.cells.get(shown.lookup) === key
      if (!shows || other.cells.get(shown.nameColumn) === name) continue
      other.cells = new Map(other.cells).set(shown.nameColumn, name)
      other.stamp = Math.max(other.stamp, position)
    }
  }
}

function versionOf(row: Row, { operation, actor, reason }: RecordOperation): Version {
  const { table, company, key, version, validFrom, isDeleted, createdAt, modifiedAt, ordinal, cells } = row
  return {
    table,
    company,
    key,
    version,
    validFrom,
    validTo: null,
    operation,
    actor,
    reason: reason ?? null,
    isDeleted,
    createdAt,
    modifiedAt,
    ordinal,
    // Rows get new cells with each event: these stay as they are.
    cells,
  }
}

function newRow(table: WarehouseTable, company: Company, key: string, at: string): Row {
  return {
    table,
    company,
    key,
    cells: new Map(table.columns.map(({ name }) => [name, null])),
    isDeleted: false,
    createdAt: at,
    modifiedAt: at,
    version: 0,
    ordinal: 0,
    validFrom: at,
    stamp: 0,
    before: undefined,
  }
}
