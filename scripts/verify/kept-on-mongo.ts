/**
 * The warehouses that a service keeps on MongoDB, copied into files by what makes the copies of its processes. Only read,
 * while the service runs: what is waited for is that the process which writes has come to the last event.
 */
import { mkdirSync } from 'node:fs'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { warehouseChanges } from '../../src/adapters/mongodb/warehouse/changes.ts'
import {
  databaseName,
  readCatalogue,
  warehouseDatabases,
} from '../../src/adapters/mongodb/warehouse/databases.ts'
import { copyWarehouse } from '../../src/compose/warehouse-copying.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { historyName } from '../../src/domain/warehouse/columns.ts'
import { arrivalOf } from './arrival.ts'
import type { KeptWarehouse } from './kept-warehouse.ts'

export interface KeptOnMongoOf {
  readonly mongoUrl: string
  /** A folder that is not there yet. */
  readonly folder: string
  readonly definitions: Definitions
}

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
  const counts = new Map<string, number>()
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
    const { catalogue } = await changes.catalogue()
    if (JSON.stringify(catalogue) !== JSON.stringify(known))
      throw new Error('the warehouse is kept by other definitions than these')
    const tables = catalogue.tables.flatMap(({ name }) => [name, historyName(name)])
    const base = databaseName(connection.database.databaseName, '')
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
        await arrivalOf(async () => [await changes.status()], position)
        for (const company of companies) {
          await copyWarehouse({ changes, folder, company })
          // Documents that no copy can tell apart, or does not see, are rows too.
          for (const table of tables)
            counts.set(`${company} ${table}`, await databases.of(company).collection(table).countDocuments())
        }
      },
      rows: (company, table) => counts.get(`${company} ${table}`),
      close,
    }
  } catch (error) {
    await close()
    throw asDomainError(error)
  }
}
