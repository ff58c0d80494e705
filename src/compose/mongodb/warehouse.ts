/**
 * The warehouses on MongoDB as the process with the role `projections` keeps them: it writes whenever it holds the lease,
 * and does what operators ask: resume, and rebuild beside what is served.
 */
import type { Log } from '../../api/http/log.ts'
import { keepLooking } from '../keep-looking.ts'
import { pacedProgress } from '../progress.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import { buildBeside } from '../../projections/build-beside.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { WAREHOUSE, warehouseProjection } from '../../projections/warehouse.ts'

export interface MongoWarehouseWriterOptions {
  readonly url: string
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  readonly events: EventStore
  readonly log: Log
  readonly now: () => number
}

const LOOK_MS = 1_000

/** Returns what ends it. */
export async function keepMongoWarehouse({
  url,
  definitions,
  events,
  log,
  now,
}: MongoWarehouseWriterOptions): Promise<() => Promise<void>> {
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const { mongoWarehouseStore } = await import('../../adapters/mongodb/warehouse/projection-store.ts')
  const { projectionOrders } = await import('../../adapters/mongodb/read-models/projection-control.ts')
  const store = mongoWarehouseStore({ url, definitions, now, onTrouble })
  const orders = projectionOrders({ url, definitions, base: WAREHOUSE })
  const stopping = new AbortController()
  const { signal } = stopping
  let follower: Follower | undefined
  let statuses: readonly ProjectionStatus[] = []
  let rebuilding: ProjectionStatus['rebuilding']
  let building: Promise<void> | undefined

  const publish = () => {
    const shown = statuses.map((status): ProjectionStatus =>
      rebuilding ? { ...status, state: 'rebuilding', rebuilding } : status,
    )
    store
      .publish(shown)
      .catch((error: unknown) => onTrouble('the state of the warehouse cannot be published', error))
  }
  const served = () => follower?.status()[0]?.position ?? 0

  const rebuild = async () => {
    const of = await events.head()
    const progress = pacedProgress((position) => {
      rebuilding = { position, of }
      publish()
    })
    progress(0)
    try {
      const projection = warehouseProjection(definitions)
      const beside = store.beside()
      await buildBeside({ events, projection, beside, served, onProgress: progress, onTrouble, signal })
      // What it was parked for may be gone with what was there.
      follower?.resume(WAREHOUSE)
    } catch (error) {
      if (!signal.aborted) onTrouble('the warehouse cannot be rebuilt; what was there is served on', error)
    } finally {
      rebuilding = undefined
      if (!signal.aborted) publish()
    }
  }
  const startRebuild = () => (building ??= rebuild().finally(() => (building = undefined)))

  const lead = async () => {
    const isOutdated = await store.leading()
    if (signal.aborted) return
    follower = await followEvents({
      events,
      store,
      projections: [warehouseProjection(definitions)],
      onStatus(current) {
        statuses = current
        publish()
      },
      onTrouble,
    })
    if (isOutdated) void startRebuild()
  }

  const look = async () => {
    const order = follower && (await orders.take())
    if (order?.command === 'resume') follower!.resume(order.projection)
    if (order?.command === 'rebuild') void startRebuild()
  }
  const leading = lead().catch((error: unknown) => {
    if (!signal.aborted) onTrouble('the warehouse cannot be written', error)
  })
  const watching = keepLooking({
    look,
    onAway: (error) => onTrouble('orders for the warehouse cannot be read for now', error),
    everyMs: LOOK_MS,
    signal,
  })

  return async () => {
    stopping.abort()
    await watching
    await building
    await follower?.stop()
    await store.close()
    await leading
    await orders.close()
  }
}
