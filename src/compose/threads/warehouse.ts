/**
 * The warehouse thread: follows the events and keeps the tables of analysts.
 *
 * The composition root of this thread, as `compose/threads/engine.ts` is of the engine's. It reads the event file beside its
 * writer, so that no write ever waits for it, and it steps back where both want the same core.
 */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openDerived } from '../../adapters/sqlite/files/derived.ts'
import type { FromWarehouse, ToWarehouse } from '../../adapters/sqlite/warehouse/messages.ts'
import { emptyFolder } from '../../adapters/sqlite/warehouse/company-files.ts'
import { sqliteWarehouseStore } from '../../adapters/sqlite/warehouse/projection-store.ts'
import { describeLast, strayOf } from '../../projections/log-state.ts'
import { openSource, type SourceData } from '../source.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import { buildBeside } from '../../projections/build-beside.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { WAREHOUSE, warehouseProjection } from '../../projections/warehouse.ts'

export interface WarehouseData extends SourceData {
  /** Where the companies' files are. */
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
}

const { dataDir, folder, definitions: list, eventStoreUrl } = workerData as WarehouseData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const say = (message: FromWarehouse) => parentPort!.postMessage(message)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
const trouble = (message: string, error: unknown) =>
  say({ kind: 'trouble', message, detail: messageOf(error) })

// On Linux 0 is this thread, elsewhere the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

const openStore = () =>
  sqliteWarehouseStore({
    folder,
    definitions,
    now: () => Date.now(),
    onFsyncFailure: (message) => say({ kind: 'fatal', message: `the disk refused an fsync: ${message}` }),
  })
let store = openDerived(folder, openStore, (aside, error) =>
  trouble(`the warehouse is damaged and is rebuilt; it was put aside as ${aside}`, error),
)

const events = await openSource({ dataDir, eventStoreUrl })

let building: { readonly stop: () => void; position: Position } | undefined
let statuses: readonly ProjectionStatus[] = []
const report = (current = statuses) => {
  statuses = current
  const shown = statuses.map((status) =>
    building
      ? {
          ...status,
          state: 'rebuilding' as const,
          rebuilding: { position: building.position, of: status.position },
        }
      : status,
  )
  say({ kind: 'projected', statuses: shown })
}

let follower: Follower | undefined
let closing = false

/** Begins again where the warehouse is not of the log that is followed. */
const leaveOtherLog = async () => {
  const last = store.lastEvent()
  const stray = await strayOf(events, last ? [last] : [], () => closing)
  if (!stray || closing) return
  trouble('the warehouse is of another log, and is rebuilt', describeLast(stray))
  await store.close()
  emptyFolder(folder)
  store = openStore()
}

const follow = async () => {
  await leaveOtherLog()
  if (closing) return
  follower = await followEvents({
    events,
    store,
    projections: [warehouseProjection(definitions)],
    onStatus: report,
    onTrouble: trouble,
  })
}

/** Builds beside, and takes over once it has come as far as what is there. */
const rebuild = async (): Promise<void> => {
  if (building) throw new Error('the warehouse is being rebuilt already')
  const stopping = new AbortController()
  building = { position: 0, stop: () => stopping.abort() }
  report()
  try {
    await buildBeside({
      events,
      projection: warehouseProjection(definitions),
      beside: store.beside(),
      served: () => follower?.status()[0]?.position ?? 0,
      onProgress: (position) => {
        building!.position = position
        report()
      },
      onTrouble: trouble,
      signal: stopping.signal,
    })
    // What it was parked for may be gone with what was there.
    follower?.resume(WAREHOUSE)
  } finally {
    building = undefined
    report()
  }
}

const tryRebuild = () =>
  rebuild().catch((error: unknown) => trouble('the warehouse cannot be rebuilt', error))

const done = (request: number, work: Promise<unknown>) =>
  work.then(
    () => say({ kind: 'done', request }),
    (error: unknown) => say({ kind: 'done', request, error: messageOf(error) }),
  )

const close = async () => {
  closing = true
  building?.stop()
  await following
  await follower?.stop()
  await events.close()
  await store.close()
  parentPort!.close()
}

parentPort!.on('message', (message: ToWarehouse) => {
  if (message.kind === 'grown') events.grown()
  else if (message.kind === 'ensure')
    void done(
      message.request,
      Promise.resolve().then(() => store.ensure(message.company)),
    )
  else if (message.kind === 'rebuild') void tryRebuild()
  else if (message.kind === 'resume') follower?.resume(WAREHOUSE)
  else void close()
})
say({ kind: 'open', catalogue: store.catalogue })
const following = follow()
await following
if (store.isOutdated && !closing) void tryRebuild()
