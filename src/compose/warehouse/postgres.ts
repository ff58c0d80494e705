/** The warehouse on PostgreSQL: processes with the role `projections` write it, those with the role `api` ask it. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { evolveCatalogue } from '../../domain/warehouse/catalogue.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Log } from '../../ports/log.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { Check } from '../../ports/readiness.ts'
import type { ToolLogins } from '../../ports/tool-logins.ts'
import type { Warehouse } from '../../ports/warehouse.ts'
import { endOf, keepThread } from '../keep-thread.ts'
import { exportThreads, type ExportThreads } from './export-threads.ts'
import { supersededCheck, unlessSuperseded } from './superseded.ts'
import type { FromWriter, ToWriter, WarehousePostgresData } from '../threads/warehouse-postgres.ts'

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

const GROWN_MS = 100
/** No snapshot is written for so long without a change of its file. */
const LEFT_MS = 3_600_000
const MEMORY = { maxYoungGenerationSizeMb: 16 }

export async function openPostgres(
  { config, definitions, log, onFatal }: WarehousesOptions,
  url: string,
): Promise<Warehouses> {
  const { postgresWarehouse } = await import('../../adapters/postgres/warehouse/warehouse.ts')
  const { postgresControl } = await import('../../adapters/postgres/warehouse/control.ts')
  const { postgresToolLogins } = await import('../../adapters/postgres/warehouse/tool-logins.ts')
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const exports = exportThreads()
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
        data: {
          url,
          dataDir: config.DATA_DIR,
          definitions: [...definitions.values()],
          eventStoreUrl: config.EVENTSTORE_URL,
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

interface WriterOptions {
  readonly data: WarehousePostgresData
  readonly log: Pick<Log, 'error'>
  readonly onFatal: (reason: string) => void
  /** The file of the thread; for tests of threads that die. */
  readonly thread?: URL
  readonly pauseMs?: number
}

/** The thread that writes. Reads and writes of records go on without it. */
export function startWriter(options: WriterOptions) {
  const { data, log, thread = new URL('../threads/warehouse-postgres.ts', import.meta.url) } = options
  let isSuperseded = false
  const spawn = () => {
    isSuperseded = false
    const worker = new Worker(thread, { name: 'warehouse', workerData: data, resourceLimits: MEMORY })
    worker.on('message', (from: FromWriter) => {
      if (from.kind === 'superseded') isSuperseded = from.superseded
      else log.error({ detail: from.detail }, from.message)
    })
    const say = (message: ToWriter) => worker.postMessage(message)
    return { say, opened: once(worker, 'online'), ended: endOf(worker) }
  }
  const kept = keepThread({ ...options, what: 'the warehouse thread', first: spawn(), spawn })
  let timer: NodeJS.Timeout | undefined
  return {
    isSuperseded: () => isSuperseded,
    grown() {
      timer ??= setTimeout(() => {
        timer = undefined
        kept.current().say('grown')
      }, GROWN_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await kept.stop(async ({ say }) => say('close'))
    },
  }
}

async function snapshotOf(
  exports: ExportThreads,
  { url, company, folder }: { readonly url: string; readonly company: Company; readonly folder: string },
): ReturnType<Warehouse['snapshot']> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${randomUUID()}.db`)
  try {
    await exports.snapshot({ kind: 'snapshot', url, company, path })
    return { size: (await stat(path)).size, bytes: oncePassedOn(path) }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** A file's bytes; it is removed when they have been read, or the reader has gone. */
async function* oncePassedOn(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  } finally {
    await rm(path, { force: true })
  }
}

/** Removes what processes have left there that were killed. Others may use the folder as well: what is young stays. */
export async function removeLeft(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const left = await stat(path).catch(() => undefined)
    if (left && now - left.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}
