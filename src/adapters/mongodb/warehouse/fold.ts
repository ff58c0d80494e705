/**
 * Rows as a batch of steps leaves them: the versions that came to be, and the records as they then are.
 *
 * Events are taken one after the other, names included: a version keeps the name of a lookup as it was at its event,
 * whatever the size of the batch. A record that has an event already, from a try that was cut off, passes it over; its
 * name is told on all the same, because that try may not have come so far.
 */
import { secondsOf } from '../../../domain/fields/dates.ts'
import type { Position } from '../../../domain/events/event.ts'
import { cellsOf, type CellsOf } from '../../../domain/warehouse/cells.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { displayColumns, showing, type Showing } from '../../../domain/warehouse/names.ts'
import type { Cell, WarehouseTable } from '../../../domain/warehouse/columns.ts'
import type { WarehouseOperation } from '../../../ports/warehouse.ts'

export interface Working {
  readonly table: WarehouseTable
  readonly key: string
  cells: Map<string, Cell>
  isDeleted: boolean
  createdAt: string
  modifiedAt: string
  version: number
  position: Position
  /** Of the last version. */
  validFrom: string
  stamp: Position
  /** As it was read; undefined: it was not there. */
  readonly before: Position | undefined
}

export interface Version {
  readonly table: WarehouseTable
  readonly key: string
  readonly version: number
  readonly validFrom: string
  validTo: string | null
  readonly operation: string
  readonly actor: string
  readonly isDeleted: boolean
  readonly createdAt: string
  readonly modifiedAt: string
  readonly position: Position
  stamp: Position
  readonly cells: ReadonlyMap<string, Cell>
}

/** A version that was there before the batch, and ends in it. */
export interface Ended {
  readonly table: WarehouseTable
  readonly key: string
  readonly version: number
  readonly validTo: string
  readonly stamp: Position
}

export interface Renamed extends Showing {
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

export interface Folding {
  /** The first table of each object. */
  readonly tables: ReadonlyMap<string, WarehouseTable>
  readonly cells: (object: string) => CellsOf
  readonly displays: ReturnType<typeof displayColumns>
  readonly shownBy: ReturnType<typeof showing>
}

export function foldingOf(catalogue: Catalogue): Folding {
  const tables = new Map(catalogue.tables.toReversed().map((table) => [table.object, table]))
  const cells = new Map([...tables].map(([object, table]) => [object, cellsOf(table)]))
  return {
    tables,
    cells: (object) => cells.get(object)!,
    displays: displayColumns(catalogue),
    shownBy: showing(catalogue),
  }
}

export interface FoldOf {
  readonly folding: Folding
  readonly operations: readonly { readonly position: Position; readonly operation: WarehouseOperation }[]
  /** The records of the operations that are there, by Key; changed in place, and new ones added. */
  readonly working: Map<string, Working>
  /** Names of records that are not among them. */
  readonly names: ReadonlyMap<string, Cell>
}

/** @throws Error for an operation that changes a record which is not there */
export function fold({ folding, operations, working, names }: FoldOf): Folded {
  const versions: Version[] = []
  const ended: Ended[] = []
  const renamed = new Map<string, Renamed>()
  const latest = new Map<string, Version>()
  for (const { position, operation } of operations) {
    const { object, key, version, at, actor, happening, fields } = operation
    const table = folding.tables.get(object)
    if (!table) throw new Error(`the warehouse has no table of the object ${object}`)
    const known = working.get(key)
    if (known && position <= known.position) {
      rename(operation, known, position)
      continue
    }
    if (!known && happening !== 'created')
      throw new Error(`${operation.operation} of ${key}, which is not there`)
    const moment = secondsOf(at)
    const record = known ?? newRecord(table, key, moment)
    const validFrom = known && record.validFrom > moment ? record.validFrom : moment
    const previous = latest.get(key)
    if (previous) Object.assign(previous, { validTo: validFrom, stamp: position })
    else if (known) ended.push({ table, key, version: record.version, validTo: validFrom, stamp: position })

    const changed = folding.cells(object)(fields, position)
    const cells = new Map([...record.cells, ...changed.cells])
    const nameOf = (target: string, looked: string): Cell => {
      const display = folding.displays.get(target)?.column
      const there = looked === key ? cells : working.get(looked)?.cells
      return there && display !== undefined ? (there.get(display) ?? null) : (names.get(looked) ?? null)
    }
    for (const { column, object: target, key: looked } of changed.lookups)
      cells.set(column, nameOf(target, looked))
    Object.assign(record, {
      cells,
      isDeleted: happening === 'deleted',
      modifiedAt: moment,
      version,
      position,
      validFrom,
      stamp: position,
    })
    working.set(key, record)
    const { createdAt, isDeleted } = record
    const made: Version = {
      ...{ table, key, version, validFrom, validTo: null, operation: operation.operation, actor },
      ...{ isDeleted, createdAt, modifiedAt: moment, position, stamp: position, cells: new Map(cells) },
    }
    versions.push(made)
    latest.set(key, made)
    rename(operation, record, position)
  }
  return { versions, ended, renamed: [...renamed.values()] }

  /** Whoever shows the record shows its name from here on: those of the batch at once, all others when it is written. */
  function rename(
    { object, key, happening, fields }: WarehouseOperation,
    record: Working,
    position: Position,
  ) {
    const display = folding.displays.get(object)
    if (!display || happening === 'created' || !(display.field in fields)) return
    const name = record.cells.get(display.column) ?? null
    for (const shown of folding.shownBy.get(object) ?? []) {
      const id = `${shown.by} ${shown.nameColumn} ${key}`
      renamed.delete(id)
      renamed.set(id, { ...shown, key, name, position })
      for (const other of working.values()) {
        const shows = other.table.object === shown.by && other.cells.get(shown.lookup) === key
        if (!shows || other.cells.get(shown.nameColumn) === name) continue
        other.cells = new Map(other.cells).set(shown.nameColumn, name)
        other.stamp = Math.max(other.stamp, position)
      }
    }
  }
}

function newRecord(table: WarehouseTable, key: string, moment: string): Working {
  const cells = new Map<string, Cell>(table.columns.map(({ name }) => [name, null]))
  return {
    ...{ table, key, cells, isDeleted: false, createdAt: moment, modifiedAt: moment },
    ...{ version: 0, position: 0, validFrom: moment, stamp: 0, before: undefined },
  }
}
