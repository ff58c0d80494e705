/**
 * What is made of the catalogue in a company's database: indexes, and for analysts what columns mean and when they came.
 *
 * A warehouse that is built beside the served one has the same collections, with a word before their names.
 */
import type { Collection } from 'mongodb'
import type { Company } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type WarehouseTable,
} from '../../../domain/warehouse/columns.ts'
import type { RowDocument, WarehouseDatabases } from './databases.ts'

export interface WarehouseCollections {
  rows(company: Company, name: string): Collection<RowDocument>
  /** To be awaited before the table is first written to: once a process. */
  prepare(company: Company, table: WarehouseTable): Promise<void>
  isPrepared(company: Company, name: string): boolean
}

export interface CollectionsOptions {
  readonly databases: WarehouseDatabases
  readonly catalogue: Catalogue
  /** Before the names of collections; none: those that are served. */
  readonly prefix?: string
}

export function warehouseCollections({
  databases,
  catalogue,
  prefix = '',
}: CollectionsOptions): WarehouseCollections {
  const prepared = new Set<string>()
  const rows = (company: Company, name: string) =>
    databases.of(company).collection<RowDocument>(prefix + name)
  return {
    rows,
    async prepare(company, table) {
      if (!prefix && !prepared.has(company)) {
        await describe(company)
        prepared.add(company)
      }
      const names = [table.name, historyName(table.name)]
      if (names.every((name) => prepared.has(`${company} ${name}`))) return
      for (const name of names) {
        // What an earlier try has left.
        if (prefix) await rows(company, name).drop()
        await rows(company, name).createIndex({ _Stamp: 1 })
      }
      await rows(company, historyName(table.name)).createIndex({ Key: 1, _Version: 1 })
      // By these a renamed record finds those that show it.
      for (const { name, part, target } of table.columns)
        if (part === 'value' && target) await rows(company, table.name).createIndex({ [name]: 1 })
      for (const name of names) prepared.add(`${company} ${name}`)
    },
    isPrepared: (company, name) => prepared.has(`${company} ${name}`),
  }

  async function describe(company: Company): Promise<void> {
    const columns = catalogue.tables.flatMap((table) =>
      (
        [
          [table.name, CURRENT_COLUMNS],
          [historyName(table.name), HISTORY_COLUMNS],
        ] as const
      ).flatMap(([name, fixed]) => [
        ...fixed.map(({ name: column, type, description }) =>
          described({ name, column, type, description, current: true }),
        ),
        ...table.columns.map(({ name: column, type, field, description, unit, personal, current }) =>
          described({ name, column, type, field, description, unit, personal, current }),
        ),
      ]),
    )
    const changes = catalogue.changes.map(({ at, position, table, column, change, note }, i) => ({
      _id: i + 1,
      At: new Date(at),
      Position: position,
      TableName: table,
      ColumnName: column || null,
      Change: change,
      Note: note,
    }))
    const database = databases.of(company)
    for (const [name, documents] of [
      ['wh__columns', columns],
      ['wh__schema_log', changes],
    ] as const) {
      await database.collection(name).deleteMany({})
      if (documents.length > 0) await database.collection(name).insertMany(documents as never[])
    }
  }
}

function described(of: {
  readonly name: string
  readonly column: string
  readonly type: string
  readonly description: string
  readonly current: boolean
  readonly field?: string
  readonly unit?: string | undefined
  readonly personal?: boolean | undefined
}) {
  const { name, column, type, field = null, description, unit = null, personal = false, current } = of
  return {
    _id: `${name} ${column}`,
    ...{ TableName: name, ColumnName: column, Type: type, Field: field, Description: description },
    ...{ Unit: unit, IsPersonal: personal, IsCurrent: current },
  }
}
