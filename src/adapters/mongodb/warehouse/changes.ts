/** What has changed in one company's warehouse, for those who keep a copy of it. */
import type { Company, Position } from '../../../domain/events/event.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type Cell,
  type FixedColumn,
} from '../../../domain/warehouse/columns.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { checkpointOf } from '../checkpoint.ts'
import { asDomainError } from '../domain-errors.ts'
import {
  ALL,
  cellOf,
  readCatalogue,
  warehouseDatabases,
  type DatabasesOptions,
  type RowDocument,
} from './databases.ts'

export interface ChangedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export interface WarehouseChanges {
  /** As it is by the definitions of this process, and how often everything was built anew. */
  catalogue(): Promise<{ readonly catalogue: Catalogue; readonly built: number }>
  status(): Promise<ProjectionStatus>
  /** Rows that have changed after a position, some at a time, tables one after the other. */
  since(company: Company, position: Position, catalogue: Catalogue): AsyncIterable<ChangedRows>
  close(): Promise<void>
}

const ROWS = 500

/** Does not wait for the server: each call is Unavailable while it cannot be reached. */
export function warehouseChanges(options: DatabasesOptions): WarehouseChanges {
  const databases = warehouseDatabases(options)
  const { connection, positions, states } = databases
  const checkpoint = checkpointOf(positions, () => ALL)
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      throw asDomainError(error)
    }
  }

  async function* rowsOf(
    company: Company,
    position: Position,
    catalogue: Catalogue,
  ): AsyncGenerator<ChangedRows> {
    for (const { table, columns } of catalogue.tables.flatMap(sourcesOf)) {
      const names = columns.map(({ name }) => name)
      // In the order in which records were made, so that a copy made at once has it too.
      const found = databases
        .of(company)
        .collection<RowDocument>(table)
        .find({ _Stamp: { $gt: position } }, { batchSize: ROWS })
        .sort({ _id: 1 })
      let rows: Cell[][] = []
      for await (const document of found) {
        rows.push(columns.map(({ name, type }) => cellOf(type, document[name])))
        if (rows.length < ROWS) continue
        yield { table, columns: names, rows }
        rows = []
      }
      if (rows.length > 0) yield { table, columns: names, rows }
    }
  }

  return {
    catalogue: () =>
      guarded(async () => {
        const { catalogue, built } = await readCatalogue(databases)
        // The process that writes may not have come up yet with the definitions that this one has.
        return { catalogue: evolveCatalogue(catalogue, options.definitions, UNWRITTEN).catalogue, built }
      }),
    status: () =>
      guarded(async () => {
        const position = (await checkpoint.read()).positions.get(ALL) ?? 0
        const [published] = (await states.findOne({ _id: ALL }))?.statuses ?? []
        const { state = 'live', error, rebuilding } = published ?? {}
        return { name: ALL, position, state, ...(error && { error }), ...(rebuilding && { rebuilding }) }
      }),
    async *since(company, position, catalogue) {
      try {
        await connection.ready()
        yield* rowsOf(company, position, catalogue)
      } catch (error) {
        throw asDomainError(error)
      }
    },
    close: () => connection.close(),
  }
}

const UNWRITTEN = { at: '1970-01-01T00:00:00Z', position: 0 }

/** The two collections of a table, with all of their columns. */
export function sourcesOf({ name, columns }: Catalogue['tables'][number]) {
  return (
    [
      [name, CURRENT_COLUMNS],
      [historyName(name), HISTORY_COLUMNS],
    ] as const
  ).map(([table, fixed]) => ({ table, columns: [...fixed, ...columns] as readonly FixedColumn[] }))
}
