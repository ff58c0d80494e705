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
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { lockDataDir } from '../../adapters/sqlite/files/data-dir.ts'
import { warehouseControl } from '../../adapters/sqlite/warehouse/control.ts'
import { linkWarehouse, type WarehouseLink } from '../../adapters/sqlite/warehouse/link.ts'
import { sqliteWarehouse } from '../../adapters/sqlite/warehouse/warehouse.ts'
import { openPostgres, type Warehouses, type WarehousesOptions } from './postgres.ts'
import type { WarehouseData } from '../threads/warehouse.ts'
import type { Config } from '../../config.ts'
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
  const { folder, release } = ownFolder(config)
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

const MOST_PROCESSES = 100

/** Several processes over servers may share DATA_DIR: each takes a folder that no other has. */
function ownFolder({ DATA_DIR, EVENTSTORE_URL, MONGODB_URL }: Config) {
  const folderOf = (i: number) => join(DATA_DIR, i === 1 ? 'warehouse' : `warehouse-${i}`)
  // One process alone holds DATA_DIR as a whole.
  if (!EVENTSTORE_URL || !MONGODB_URL) return { folder: folderOf(1), release: () => {} }
  for (let i = 1; ; i++) {
    const folder = folderOf(i)
    mkdirSync(folder, { recursive: true })
    try {
      return { folder, release: lockDataDir(folder).release }
    } catch (error) {
      if (i === MOST_PROCESSES) throw error
    }
  }
}
