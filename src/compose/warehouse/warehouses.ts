/**
 * Who keeps the warehouse that analysts ask, and where.
 *
 * | process | warehouse | who writes it |
 * |---|---|---|
 * | any, with `WAREHOUSE_URL` | PostgreSQL | a thread of each process with the role `projections` (`postgres.ts`) |
 * | one alone | SQLite files in `DATA_DIR/warehouse`, one a company | a thread of its own (`threads/warehouse.ts`) |
 * | one of several, roles `api` and `warehouse` | the same, of its own | the same thread, from the events of the server |
 * | one of several, without the role `warehouse` | none: its routes answer 503 | |
 *
 * With MongoDB the current rows are written there as well, for operators' own tools (`adapters/mongodb/keeping/warehouse.ts`).
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { freeFolder } from '../../adapters/sqlite/files/free-folder.ts'
import { warehouseControl } from '../../adapters/sqlite/warehouse/control.ts'
import { linkWarehouse, type WarehouseLink } from '../../adapters/sqlite/warehouse/link.ts'
import { sqliteWarehouse } from '../../adapters/sqlite/warehouse/warehouse.ts'
import { openPostgres, type Warehouses, type WarehousesOptions } from './postgres.ts'
import type { WarehouseData } from '../threads/warehouse.ts'
import { NotServed } from '../../domain/errors.ts'
import type { Warehouse } from '../../ports/warehouse.ts'

export type { Warehouses, WarehousesOptions }

/** What following makes is garbage at once: without a limit V8 keeps 32 MB of room for it. */
const MEMORY = { maxYoungGenerationSizeMb: 6 }

/** To be opened after the stores: the thread reads the event file that they have made. */
export async function openWarehouses(options: WarehousesOptions): Promise<Warehouses> {
  const { ROLES, MONGODB_URL: mongoUrl, WAREHOUSE_URL: warehouseUrl } = options.config
  const asked = warehouseUrl
    ? await openPostgres(options, warehouseUrl)
    : ROLES.has('warehouse')
      ? await openFiles(options)
      : noWarehouse()
  if (!mongoUrl) return asked
  const sink = await openSink(options, mongoUrl).catch(async (error: unknown) => {
    await asked.close()
    throw error
  })
  return {
    ...asked,
    controls: [...asked.controls, sink.control],
    async close() {
      await asked.close()
      await sink.close()
    },
  }
}

async function openFiles({ config, definitions, log, onFatal }: WarehousesOptions): Promise<Warehouses> {
  const { DATA_DIR, EVENTSTORE_URL, MONGODB_URL } = config
  // One process alone holds DATA_DIR as a whole.
  const isAlone = !EVENTSTORE_URL || !MONGODB_URL
  const { folder, release } = isAlone
    ? { folder: join(DATA_DIR, 'warehouse'), release: () => {} }
    : freeFolder(join(DATA_DIR, 'warehouse'))
  const workerData: WarehouseData = {
    dataDir: config.DATA_DIR,
    folder,
    definitions: [...definitions.values()],
    eventStoreUrl: config.EVENTSTORE_URL,
  }
  const link = await linkWarehouse({
    worker: new Worker(new URL('../threads/warehouse.ts', import.meta.url), {
      name: 'warehouse',
      workerData,
      resourceLimits: MEMORY,
    }),
    onTrouble: (message, detail) => log.error({ detail }, message),
    onFatal,
  })
  const warehouse = warehouseOf(link, folder)
  return {
    warehouse,
    toolLogins: undefined,
    controls: [warehouseControl(link)],
    checks: [],
    grown: link.grown,
    async close() {
      await warehouse.close()
      await link.close()
      release()
    },
  }
}

function warehouseOf(link: WarehouseLink, folder: string): Warehouse {
  return sqliteWarehouse({
    folder,
    catalogue: link.catalogue,
    ready: link.ensure,
    reached: link.reached,
  })
}

function noWarehouse(): Warehouses {
  const refuse = (): never => {
    throw new NotServed('This process has no warehouse: set WAREHOUSE_URL, or add warehouse to its ROLES.')
  }
  const refused = async () => refuse()
  return {
    warehouse: {
      get tables() {
        return refuse()
      },
      reached: async () => false,
      contents: refused,
      export: refused,
      snapshot: refused,
      query: refused,
      close: async () => {},
    },
    toolLogins: undefined,
    controls: [],
    checks: [],
    grown: () => {},
    close: async () => {},
  }
}

async function openSink({ config, definitions, events, log }: WarehousesOptions, url: string) {
  const { openMongoWarehouse } = await import('../../adapters/mongodb/keeping/warehouse.ts')
  const writes = config.ROLES.has('projections')
  return openMongoWarehouse({ url, definitions, events, log, now: Date.now, writes })
}
