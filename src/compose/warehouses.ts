/**
 * Which engine keeps the warehouses of analysts, as read models are kept.
 *
 * | read models | warehouses | who writes them |
 * |---|---|---|
 * | embedded | an SQLite file for each company in `DATA_DIR/warehouse` | a thread of its own (`compose/threads/warehouse.ts`) |
 * | MongoDB | a database for each company | the process with the role `projections` that holds the lease |
 *
 * SQL, exports and snapshots are answered from SQLite files either way: a process over MongoDB keeps copies
 * (`compose/threads/warehouse-copy.ts`).
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { lockDataDir } from '../adapters/sqlite/files/data-dir.ts'
import { warehouseControl } from '../adapters/sqlite/warehouse/control.ts'
import { linkWarehouse, type WarehouseLink } from '../adapters/sqlite/warehouse/link.ts'
import { sqliteWarehouse } from '../adapters/sqlite/warehouse/warehouse.ts'
import type { Log } from '../api/http/log.ts'
import { keepMongoWarehouse } from './mongodb/warehouse.ts'
import type { WarehouseData } from './threads/warehouse.ts'
import type { WarehouseCopyData } from './threads/warehouse-copy.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../domain/definition.ts'
import { Unavailable } from '../domain/errors.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import type { Warehouse } from '../ports/warehouse.ts'
import { WAREHOUSE } from '../projections/warehouse.ts'

export interface Warehouses {
  readonly warehouse: Warehouse
  readonly controls: readonly ProjectionControl[]
  /** The events have grown. */
  grown(): void
  close(): Promise<void>
}

export interface WarehousesOptions {
  readonly config: Config
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  readonly events: EventStore
  readonly log: Log
  readonly onFatal: (reason: string) => void
}

/** What following makes is garbage at once: without a limit V8 keeps 32 MB of room for it. */
const MEMORY = { maxYoungGenerationSizeMb: 6 }

/** To be opened after the stores: the thread reads the event file that they have made. */
export async function openWarehouses(options: WarehousesOptions): Promise<Warehouses> {
  const mongoUrl = options.config.MONGODB_URL
  return mongoUrl ? openOverMongo(options, mongoUrl) : openEmbedded(options)
}

async function openEmbedded(options: WarehousesOptions): Promise<Warehouses> {
  const { config, definitions } = options
  const folder = join(config.DATA_DIR, 'warehouse')
  const workerData: WarehouseData = {
    dataDir: config.DATA_DIR,
    folder,
    definitions: [...definitions.values()],
    eventStoreUrl: config.EVENTSTORE_URL,
  }
  const link = await startThread('./threads/warehouse.ts', workerData, options)
  const warehouse = warehouseOf(link, folder)
  return {
    warehouse,
    controls: [warehouseControl(link)],
    grown: link.grown,
    async close() {
      await warehouse.close()
      await link.close()
    },
  }
}

async function openOverMongo(options: WarehousesOptions, url: string): Promise<Warehouses> {
  const { config, definitions, events, log } = options
  const { mongoProjectionControl } = await import('../adapters/mongodb/read-models/projection-control.ts')
  const { folder, letGo } = ownFolder(config.DATA_DIR)
  const workerData: WarehouseCopyData = { mongoUrl: url, folder, definitions: [...definitions.values()] }
  const link = await startThread('./threads/warehouse-copy.ts', workerData, options)
  const warehouse = warehouseOf(link, folder)
  const stopWriting = config.ROLES.has('projections')
    ? await keepMongoWarehouse({ url, definitions, events, log, now: Date.now })
    : async () => {}
  const readModels = { status: async () => link.status() }
  const control = mongoProjectionControl({ url, definitions, readModels, base: WAREHOUSE })
  return {
    warehouse,
    controls: [control],
    grown: () => {},
    async close() {
      await warehouse.close()
      await link.close()
      await control.close()
      await stopWriting()
      letGo()
    },
  }
}

function startThread(
  module: './threads/warehouse.ts' | './threads/warehouse-copy.ts',
  workerData: WarehouseData | WarehouseCopyData,
  { log, onFatal }: WarehousesOptions,
): Promise<WarehouseLink> {
  return linkWarehouse({
    worker: new Worker(new URL(module, import.meta.url), { workerData, resourceLimits: MEMORY }),
    onTrouble: (message, detail) => log.error({ detail }, message),
    onFatal,
  })
}

function warehouseOf(link: WarehouseLink, folder: string): Warehouse {
  return sqliteWarehouse({
    folder,
    catalogue: link.catalogue,
    ready: link.ensure,
    async position() {
      const positions = link.status().map(({ position }) => position)
      if (positions.length === 0) throw new Unavailable('the warehouse cannot be reached for now')
      return Math.min(...positions)
    },
    reached: link.reached,
  })
}

const MOST_PROCESSES = 100

/** Several processes may share DATA_DIR: each takes a folder that no other has, and finds its copies of last time in it. */
function ownFolder(dataDir: string): { readonly folder: string; readonly letGo: () => void } {
  for (let i = 1; ; i++) {
    const folder = join(dataDir, `warehouse-copy-${i}`)
    mkdirSync(folder, { recursive: true })
    try {
      return { folder, letGo: lockDataDir(folder) }
    } catch (error) {
      if (i === MOST_PROCESSES) throw error
    }
  }
}
