/**
 * The warehouses that a service keeps on MongoDB, copied into files by what makes the copies of its processes. Only read,
 * while the service runs and others write: which rows have changed since is known by the position that each bears.
 */
import { mkdirSync } from 'node:fs'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { sourcesOf, warehouseChanges } from '../../src/adapters/mongodb/warehouse/changes.ts'
import {
  cellOf,
  databaseName,
  readCatalogue,
  warehouseDatabases,
  type RowDocument,
} from '../../src/adapters/mongodb/warehouse/databases.ts'
import { companyPath } from '../../src/adapters/sqlite/warehouse/company-files.ts'
import { openCopyFile } from '../../src/adapters/sqlite/warehouse/copy-file.ts'
import { copyWarehouse } from '../../src/compose/mongodb/warehouse-copying.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position } from '../../src/domain/events/event.ts'
import { arrivalOf } from './arrival.ts'
import type { KeptWarehouse } from './kept-warehouse.ts'

export interface KeptOnMongoOf {
  readonly mongoUrl: string
  /** A folder that is not there yet. */
  readonly folder: string
  readonly definitions: Definitions
}

const ROWS = 500

/** @throws Error when it has to be built anew before it can be compared, or cannot be reached */
export async function keptOnMongo({
  mongoUrl: url,
  folder,
  definitions,
}: KeptOnMongoOf): Promise<KeptWarehouse> {
  mkdirSync(folder, { recursive: true })
  const databases = warehouseDatabases({ url, definitions })
  const changes = warehouseChanges({ url, definitions })
  const { connection } = databases
  const status = async () => [await changes.status()]
  const close = async () => {
    await changes.close()
    await connection.close()
  }

  try {
    await connection.ready()
    const { outdated, catalogue: known } = await readCatalogue(databases)
    if (!known) throw new Error('this MongoDB has no warehouse')
    if (outdated)
      throw new Error('the warehouse is to be built anew by its definitions: let the service do so')
    const { catalogue, built } = await changes.catalogue()
    if (JSON.stringify(catalogue) !== JSON.stringify(known))
      throw new Error('the warehouse is kept by other definitions than these')
    const base = databaseName(connection.database.databaseName, '')
    const checkBuilt = async () => {
      await arrivalOf(status, 0)
      if ((await changes.catalogue()).built !== built)
        throw new Error('the warehouse was built anew meanwhile: compare it again')
    }
    return {
      catalogue,
      folder,
      // A copy notes how far it has come, a warehouse its own last event.
      notCompared: ['wh__state'],
      async companies() {
        const { databases: all } = await connection.database.admin().listDatabases({ nameOnly: true })
        return all.flatMap(({ name }) =>
          name.startsWith(base) ? [`company-${name.slice(base.length)}`] : [],
        )
      },
      async bringTo(position, companies) {
        const reached = await arrivalOf(status, position)
        for (const company of companies) await copyWarehouse({ changes, folder, company })
        return reached
      },
      moving: {
        async standing(company, table, at) {
          // One look at every document: one that is changed meanwhile counts once, as the one or the other.
          const all = databases.of(company).collection<RowDocument>(table)
          const newer = new Set<string>()
          let others = 0
          for await (const { _id, _Stamp } of all.find({}, { projection: { _Stamp: 1 } }).sort({ _id: 1 }))
            if (_Stamp > at) newer.add(_id)
            else others++ // those too that no copy can tell apart, or does not see
          await checkBuilt()
          return { newer, others }
        },
        async reread(company, rows, at) {
          const reached = await arrivalOf(status, at)
          const stamps = new Map<string, Position>()
          const copy = openCopyFile(companyPath(folder, company), catalogue)
          try {
            for (const { table, columns } of catalogue.tables.flatMap(sourcesOf)) {
              const ids = [...(rows.get(table) ?? [])]
              const names = columns.map(({ name }) => name)
              for (let start = 0; start < ids.length; start += ROWS) {
                const found = await databases
                  .of(company)
                  .collection<RowDocument>(table)
                  .find({ _id: { $in: ids.slice(start, start + ROWS) } })
                  .toArray()
                copy.put({
                  table,
                  columns: names,
                  rows: found.map((row) => columns.map(({ name, type }) => cellOf(type, row[name]))),
                })
                for (const { _id, _Stamp } of found) stamps.set(`${table} ${_id}`, _Stamp)
              }
            }
          } finally {
            copy.close()
          }
          await checkBuilt()
          return { reached, stamps }
        },
      },
      close,
    }
  } catch (error) {
    await close()
    throw asDomainError(error)
  }
}
