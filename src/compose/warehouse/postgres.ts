/** The warehouse on PostgreSQL: processes with the role `projections` write it, those with the role `api` ask it. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { evolveCatalogue } from '../../domain/warehouse/catalogue.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Log } from '../../ports/log.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { Check } from '../../ports/readiness.ts'
import type { ToolLogins } from '../../ports/tool-logins.ts'
import type { Warehouse } from '../../ports/warehouse.ts'
import type { WarehousePostgresData } from '../threads/warehouse-postgres.ts'

export interface Warehouses {
  readonly warehouse: Warehouse
  /** Undefined: the engine has no logins of its own. */
  readonly toolLogins: ToolLogins | undefined
  readonly controls: readonly ProjectionControl[]
  /** What of it is down in this process alone. */
  readonly checks: readonly (() => Check)[]
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

/** What a thread makes is garbage at once: without a limit V8 lets tens of megabytes of it lie, for each of them. */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 16 }
const EXPORT_MEMORY = { maxYoungGenerationSizeMb: 8 }

export async function openPostgres(
  { config, definitions, log, onFatal }: WarehousesOptions,
  url: string,
): Promise<Warehouses> {
  const { postgresWarehouse } = await import('../../adapters/postgres/warehouse/warehouse.ts')
  const { postgresControl } = await import('../../adapters/postgres/warehouse/control.ts')
  const { postgresToolLogins } = await import('../../adapters/postgres/warehouse/tool-logins.ts')
  const { exportThreads } = await import('../../adapters/postgres/export/export-threads.ts')
  const { removeLeft, snapshotOf } = await import('../../adapters/postgres/export/snapshots.ts')
  const { supersededCheck, unlessSuperseded } = await import('../../adapters/postgres/writing/superseded.ts')
  const { startWriter } = await import('../../adapters/postgres/writing/writer.ts')
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const exports = exportThreads(
    (workerData) =>
      new Worker(new URL('../threads/warehouse-export.ts', import.meta.url), {
        name: 'export',
        workerData,
        resourceLimits: EXPORT_MEMORY,
      }),
  )
  const snapshots = join(config.DATA_DIR, 'snapshots')
  await removeLeft(snapshots, Date.now())
  const { catalogue } = evolveCatalogue(undefined, definitions, { at: '1970-01-01T00:00:00Z', position: 0 })
  const warehouse = postgresWarehouse({
    url,
    catalogue,
    onTrouble,
    stream: ({ company, table, format }) =>
      exports.stream({ kind: 'export', url, company, ...table, format }),
    snapshot: (company) => snapshotOf(exports, { url, company, folder: snapshots }),
  })
  const control = postgresControl(url)
  const toolLogins = postgresToolLogins(url)
  const writer = config.ROLES.has('projections')
    ? startWriter({
        start: () => {
          const workerData: WarehousePostgresData = {
            url,
            dataDir: config.DATA_DIR,
            definitions: [...definitions.values()],
            eventStoreUrl: config.EVENTSTORE_URL,
          }
          const thread = new URL('../threads/warehouse-postgres.ts', import.meta.url)
          return new Worker(thread, { name: 'warehouse', workerData, resourceLimits: WRITER_MEMORY })
        },
        log,
        onFatal,
      })
    : undefined
  return {
    warehouse,
    toolLogins,
    controls: [writer ? unlessSuperseded(control, writer.isSuperseded) : control],
    checks: writer ? [() => supersededCheck(writer.isSuperseded())] : [],
    grown: () => writer?.grown(),
    async close() {
      await exports.close()
      await warehouse.close()
      await toolLogins.close()
      await control.close()
      await writer?.close()
    },
  }
}
