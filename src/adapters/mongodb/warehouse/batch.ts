/**
 * A batch of one company's events, written so that every crash can be repeated: versions first, each once and for all;
 * then the records; then the names that others show. Nothing is asked of MongoDB but single documents.
 */
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import type { Company, Position } from '../../../domain/events/event.ts'
import { historyName, type Cell, type WarehouseTable } from '../../../domain/warehouse/columns.ts'
import type { WarehouseOperation } from '../../../ports/warehouse.ts'
import { isDuplicate } from '../domain-errors.ts'
import type { WarehouseCollections } from './collections.ts'
import { cellOf, stored, type RowDocument } from './databases.ts'
import { fold, type Folding, type Version, type Working } from './fold.ts'

export interface BatchOf {
  readonly company: Company
  readonly collections: WarehouseCollections
  readonly folding: Folding
  readonly decimals: boolean
  readonly operations: readonly { readonly position: Position; readonly operation: WarehouseOperation }[]
}

/** Writes of one command. FerretDB holds one of its 100 connections for each until the command ends. */
const CHUNK = 50
const FIND = 1_000

/** @throws Error for an event that cannot be understood */
export async function writeBatch({
  company,
  collections,
  folding,
  decimals,
  operations,
}: BatchOf): Promise<void> {
  const rows = (name: string): Collection<RowDocument> => collections.rows(company, name)
  const working = new Map<string, Working>()
  const byObject = Map.groupBy(operations, ({ operation }) => operation.object)
  for (const [object, own] of byObject) {
    const table = folding.tables.get(object)
    if (!table) throw new Error(`the warehouse has no table of the object ${object}`)
    await collections.prepare(company, table)
    const keys = [...new Set(own.map(({ operation }) => operation.key))]
    for (const document of await findAll(rows(table.name), keys)) {
      const record = workingOf(table, document)
      working.set(record.key, record)
    }
  }
  const names = await readNames()
  const { versions, ended, renamed } = fold({ folding, operations, working, names })

  for (const [table, own] of Map.groupBy(versions, ({ table }) => table))
    await writeAll(rows(historyName(table.name)), own.map(versionWrite))
  for (const [table, own] of Map.groupBy(ended, ({ table }) => table))
    await writeAll(
      rows(historyName(table.name)),
      own.map(({ key, version, validTo, stamp }) => ({
        updateOne: {
          filter: { _id: `${key} ${version}` },
          update: { $set: { ValidTo: new Date(validTo), _Stamp: stamp } },
        },
      })),
    )
  const changed = [...working.values()].filter(({ stamp, before }) => stamp > (before ?? 0))
  for (const [table, own] of Map.groupBy(changed, ({ table }) => table))
    await writeAll(rows(table.name), own.map(recordWrite))
  for (const { by, lookup, nameColumn, key, name, position } of renamed) {
    const table = folding.tables.get(by)!
    // A row that is ahead has it, or was written by who has taken over.
    await rows(table.name).updateMany(
      { [lookup]: { $eq: key }, [nameColumn]: { $ne: name }, _Stamp: { $lte: position } },
      { $set: { [nameColumn]: name, _Stamp: position } },
    )
  }

  /** What lookups of the batch show, of records that are not in it. */
  async function readNames(): Promise<Map<string, Cell>> {
    const wanted = new Map<string, Set<string>>()
    for (const { position, operation } of operations)
      for (const { object, key } of folding.cells(operation.object)(operation.fields, position).lookups)
        if (!working.has(key)) wanted.set(object, (wanted.get(object) ?? new Set()).add(key))
    const found = new Map<string, Cell>()
    for (const [object, keys] of wanted) {
      const column = folding.displays.get(object)?.column
      const table = folding.tables.get(object)
      if (column === undefined || !table) continue
      for (const document of await findAll(rows(table.name), [...keys]))
        found.set(document._id, cellOf('text', document[column]))
    }
    return found
  }

  function cellsIn(table: WarehouseTable, cells: ReadonlyMap<string, Cell>): Record<string, unknown> {
    return Object.fromEntries(
      table.columns.map(({ name, type }) => [name, stored(type, cells.get(name) ?? null, decimals)]),
    )
  }

  function versionWrite(version: Version): AnyBulkWriteOperation<RowDocument> {
    const { table, key, validTo, stamp } = version
    // An end is never taken back: who repeats the batch may not have come so far.
    const end = { ValidTo: validTo === null ? null : new Date(validTo), _Stamp: stamp }
    const once = {
      Key: key,
      _Version: version.version,
      ValidFrom: new Date(version.validFrom),
      Operation: version.operation,
      ChangedBy: version.actor,
      IsDeleted: version.isDeleted,
      CreatedAt: new Date(version.createdAt),
      ModifiedAt: new Date(version.modifiedAt),
      _Position: version.position,
      ...cellsIn(table, version.cells),
    }
    return {
      updateOne: {
        filter: { _id: `${key} ${version.version}` },
        update: validTo === null ? { $setOnInsert: { ...once, ...end } } : { $setOnInsert: once, $set: end },
        upsert: true,
      },
    }
  }

  function recordWrite(record: Working): AnyBulkWriteOperation<RowDocument> {
    const { table, key, position, before } = record
    const replacement = {
      Key: key,
      IsDeleted: record.isDeleted,
      CreatedAt: new Date(record.createdAt),
      ModifiedAt: new Date(record.modifiedAt),
      _Version: record.version,
      _Position: position,
      ...cellsIn(table, record.cells),
      _ValidFrom: new Date(record.validFrom),
      _Stamp: record.stamp,
    }
    if (before === undefined) return { insertOne: { document: { _id: key, ...replacement } } }
    return { replaceOne: { filter: { _id: key, _Stamp: { $lte: record.stamp } }, replacement } }
  }
}

async function findAll(rows: Collection<RowDocument>, keys: readonly string[]): Promise<RowDocument[]> {
  const found: RowDocument[] = []
  for (let start = 0; start < keys.length; start += FIND)
    found.push(...(await rows.find({ _id: { $in: keys.slice(start, start + FIND) } }).toArray()))
  return found
}

async function writeAll(
  rows: Collection<RowDocument>,
  writes: readonly AnyBulkWriteOperation<RowDocument>[],
): Promise<void> {
  for (let start = 0; start < writes.length; start += CHUNK)
    try {
      await rows.bulkWrite(writes.slice(start, start + CHUNK), { ordered: false })
    } catch (error) {
      // It is there from a try that was cut off.
      if (!isDuplicate(error)) throw error
    }
}

function workingOf(table: WarehouseTable, document: RowDocument): Working {
  const moment = (name: string) => cellOf('timestamp', document[name]) as string
  const position = document['_Position'] as Position
  return {
    table,
    key: document._id,
    cells: new Map(table.columns.map(({ name, type }) => [name, cellOf(type, document[name])])),
    isDeleted: document['IsDeleted'] === true,
    createdAt: moment('CreatedAt'),
    modifiedAt: moment('ModifiedAt'),
    version: document['_Version'] as number,
    position,
    validFrom: moment('_ValidFrom'),
    stamp: document._Stamp,
    before: document._Stamp,
  }
}
