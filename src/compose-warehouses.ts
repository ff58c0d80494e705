/**
 * Which engine keeps the warehouses of analysts: an SQLite file for each company beside the embedded read models.
 *
 * A thread of its own writes them (`compose-warehouse.ts`): writes of records never wait for it.
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { warehouseControl } from './adapters/sqlite/warehouse/control.ts'
import { linkWarehouse } from './adapters/sqlite/warehouse/link.ts'
import { sqliteWarehouse } from './adapters/sqlite/warehouse/warehouse.ts'
import type { Log } from './api/log.ts'
import type { WarehouseData } from './compose-warehouse.ts'
import type { Config } from './config.ts'
import type { Definitions } from './domain/definition.ts'
import type { ProjectionControl } from './ports/projection-control.ts'
import type { Warehouse } from './ports/warehouse.ts'

export interface Warehouses {
  readonly warehouse: Warehouse
  readonly controls: readonly ProjectionControl[]
  /** The events have grown. */
  grown(): void
  close(): Promise<void>
}

export interface WarehousesOptions {
  readonly config: Config
  readonly definitions: Definitions
  readonly log: Log
  readonly onFatal: (reason: string) => void
}

/**
 * To be opened after the stores: the thread reads the event file that they have made. Undefined: there are none on
 * MongoDB yet.
 */
export async function openWarehouses({
  config,
  definitions,
  log,
  onFatal,
}: WarehousesOptions): Promise<Warehouses | undefined> {
  if (config.MONGODB_URL) return undefined
  const folder = join(config.DATA_DIR, 'warehouse')
  const data: WarehouseData = {
    dataDir: config.DATA_DIR,
    folder,
    definitions: [...definitions.values()],
    eventStoreUrl: config.EVENTSTORE_URL,
  }
  const link = await linkWarehouse({
    worker: new Worker(new URL('./compose-warehouse.ts', import.meta.url), { workerData: data }),
    onTrouble: (message, detail) => log.error({ detail }, message),
    onFatal,
  })
  const warehouse = sqliteWarehouse({
    folder,
    catalogue: link.catalogue,
    ready: link.ensure,
    position: async () => Math.min(...link.status().map(({ position }) => position)),
    reached: link.reached,
  })
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
