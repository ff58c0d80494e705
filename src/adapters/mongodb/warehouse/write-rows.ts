/**
 * A batch of events, of any companies, written as the rows that they leave: all rows of a table in one bulk write, then the
 * names that other rows show. A row bears the position of its last change as `_Stamp`, and is never replaced by an older one:
 * a batch can be repeated from anywhere, and a writer that lost its lease does no harm.
 */
import { Decimal128, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import type { Position } from '../../../domain/events/event.ts'
import type { Cell, ColumnType, WarehouseTable } from '../../../domain/warehouse/columns.ts'
import {
  fold,
  lookedUp,
  rowId,
  type Folding,
  type Renamed,
  type Row,
} from '../../../domain/warehouse/fold.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import type { Placed } from '../../../domain/warehouse/ordinals.ts'
import { isDuplicate } from '../domain-errors.ts'

/** A row, by its columns. */
export interface RowDocument {
  /** The company and the Key. */
  readonly _id: string
  readonly _Company: string
  readonly [column: string]: unknown
  /** Position of the last event that changed it: its own record's, or one that renamed what it shows. */
  readonly _Stamp: Position
}

export interface RowsOf {
  readonly database: Db
  readonly folding: Folding
  readonly operations: readonly Placed[]
}

const BULK = 1_000
/** FerretDB holds one of its 100 connections for each write of a command until the command ends. */
const FERRETDB_BULK = 50

interface Server {
  readonly bulk: number
  /** Whether it keeps exact decimals: FerretDB ends a connection that brings one. */
  readonly decimals: boolean
}
const servers = new WeakMap<Db, Server>()

async function serverOf(database: Db): Promise<Server> {
  const known = servers.get(database)
  if (known) return known
  const isFerret = 'ferretdbVersion' in (await database.admin().buildInfo())
  const server = { bulk: isFerret ? FERRETDB_BULK : BULK, decimals: !isFerret }
  servers.set(database, server)
  return server
}

/** Renames find the rows that show a record by these. */
export async function prepareRows(rows: Collection<RowDocument>, { columns }: WarehouseTable): Promise<void> {
  await rows.createIndex({ _Company: 1 })
  for (const { name, part, target } of columns)
    if (part === 'value' && target) await rows.createIndex({ _Company: 1, [name]: 1 })
}

/** @throws Error for an event that cannot be understood */
export async function writeRows({ database, folding, operations }: RowsOf): Promise<void> {
  const server = await serverOf(database)
  const rowsOf = (table: WarehouseTable): Collection<RowDocument> => database.collection(table.name)
  const rows = new Map<string, Row>()
  for (const [object, own] of Map.groupBy(operations, ({ operation }) => operation.object)) {
    const table = folding.table(object)
    const ids = new Set(own.map(({ operation }) => rowId(operation.company, operation.key)))
    for (const document of await findAll(rowsOf(table), [...ids]))
      rows.set(document._id, rowOf(table, document))
  }
  const names = new Map<string, Cell>()
  for (const [object, wanted] of lookedUp(folding, operations, rows)) {
    const column = folding.displays.get(object)?.column
    if (column === undefined) continue
    for (const document of await findAll(rowsOf(folding.table(object)), [...wanted.keys()]))
      names.set(document._id, cellOf('text', document[column]))
  }
  const { renamed } = fold({ folding, operations, rows, names })

  const changed = [...rows.values()].filter(({ stamp, before }) => stamp > (before ?? 0))
  for (const [table, own] of Map.groupBy(changed, (row) => row.table))
    await writeAll(
      rowsOf(table),
      own.map((row) => rowWrite(row, server.decimals)),
      server.bulk,
    )
  for (const [by, own] of Map.groupBy(renamed, (one) => one.by))
    await writeAll(rowsOf(folding.table(by)), own.map(renameWrite), server.bulk)
}

function rowWrite(row: Row, decimals: boolean): AnyBulkWriteOperation<RowDocument> {
  const { table, company, key, stamp, before } = row
  const _id = rowId(company, key)
  const cells = table.columns.map(({ name, type }) => [
    name,
    stored(type, row.cells.get(name) ?? null, decimals),
  ])
  const replacement = {
    _Company: company,
    Key: key,
    IsDeleted: row.isDeleted,
    CreatedAt: new Date(row.createdAt),
    ModifiedAt: new Date(row.modifiedAt),
    _Version: row.version,
    _Position: row.ordinal,
    ...(Object.fromEntries(cells) as Record<string, unknown>),
    _Stamp: stamp,
  }
  if (before === undefined) return { insertOne: { document: { _id, ...replacement } } }
  return { replaceOne: { filter: { _id, _Stamp: { $lte: stamp } }, replacement } }
}

/** A row that is ahead shows the name already. */
function renameWrite({
  company,
  lookup,
  nameColumn,
  key,
  name,
  position,
}: Renamed): AnyBulkWriteOperation<RowDocument> {
  const filter = {
    _Company: company,
    [lookup]: { $eq: key },
    [nameColumn]: { $ne: name },
    _Stamp: { $lte: position },
  }
  return { updateMany: { filter, update: { $set: { [nameColumn]: name, _Stamp: position } } } }
}

async function findAll(rows: Collection<RowDocument>, ids: readonly string[]): Promise<RowDocument[]> {
  const found: RowDocument[] = []
  for (let start = 0; start < ids.length; start += BULK)
    found.push(...(await rows.find({ _id: { $in: ids.slice(start, start + BULK) } }).toArray()))
  return found
}

async function writeAll(
  rows: Collection<RowDocument>,
  writes: readonly AnyBulkWriteOperation<RowDocument>[],
  bulk: number,
): Promise<void> {
  for (let start = 0; start < writes.length; start += bulk)
    try {
      await rows.bulkWrite(writes.slice(start, start + bulk), { ordered: false })
    } catch (error) {
      // It is there from a write that was cut off.
      if (!isDuplicate(error)) throw error
    }
}

function rowOf(table: WarehouseTable, document: RowDocument): Row {
  const moment = (name: string) => cellOf('timestamp', document[name]) as string
  const modifiedAt = moment('ModifiedAt')
  return {
    table,
    company: document._Company,
    key: document['Key'] as string,
    cells: new Map(table.columns.map(({ name, type }) => [name, cellOf(type, document[name])])),
    isDeleted: document['IsDeleted'] === true,
    createdAt: moment('CreatedAt'),
    modifiedAt,
    version: document['_Version'] as number,
    ordinal: document['_Position'] as number,
    validFrom: modifiedAt,
    stamp: document._Stamp,
    before: document._Stamp,
  }
}

/** A cell as it is kept: dates and timestamps as dates, amounts as exact decimals where the server has them. */
function stored(type: ColumnType, cell: Cell, decimals: boolean): unknown {
  if (cell === null) return null
  if (type === 'date' || type === 'timestamp') return new Date(cell as string)
  if (type === 'money' && decimals) return Decimal128.fromString(String(cell))
  return cell
}

/** The cell that was stored. */
export function cellOf(type: ColumnType, value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (value instanceof Date)
    return type === 'date' ? value.toISOString().slice(0, 10) : timestampOf(value.getTime())
  if (value instanceof Decimal128) return Number(value.toString())
  return value as Cell
}
