/** The thread that follows the events and writes the warehouse to PostgreSQL, whenever that can be reached. */
import { constants, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { postgresOrders } from '../../adapters/postgres/warehouse/control.ts'
import { OtherDefinitions } from '../../adapters/postgres/warehouse/own-catalogue.ts'
import { postgresWarehouseStore } from '../../adapters/postgres/warehouse/projection-store.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import { buildBeside } from '../../projections/build-beside.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { WAREHOUSE, warehouseProjection } from '../../projections/warehouse.ts'
import { keepLooking } from '../../projections/keep-looking.ts'
import { describeLast, strayOf } from '../../projections/log-state.ts'
import { pacedProgress } from '../../projections/paced-progress.ts'
import { standingStill } from '../warehouse/standing-still.ts'
import { openSource, type SourceData } from '../source.ts'

export interface WarehousePostgresData extends SourceData {
  readonly url: string
  readonly definitions: readonly ObjectDefinition[]
}

export type ToWriter = 'grown' | 'close'
export type FromWriter =
  /** Worth a line in the log. */
  | { readonly kind: 'trouble'; readonly message: string; readonly detail: string }
  /** Whether a process with other definitions writes in its place. */
  | { readonly kind: 'superseded'; readonly superseded: boolean }

const LOOK_MS = 1_000
/** Looks in a row that show another process's rebuild where it was before it counts as dead. */
const STILL_LOOKS = 30
const RETRY_MS = 500

const { url, definitions: list, dataDir, eventStoreUrl } = workerData as WarehousePostgresData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const projection = warehouseProjection(definitions)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
const trouble = (message: string, error: unknown) =>
  parentPort!.postMessage({ kind: 'trouble', message, detail: messageOf(error) } satisfies FromWriter)

// On Linux 0 is this thread, elsewhere the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

const stopping = new AbortController()
const { signal } = stopping
const store = postgresWarehouseStore({ url, definitions, now: Date.now, onTrouble: trouble })
const orders = postgresOrders(url)
const events = await openSource({ dataDir, eventStoreUrl })
let follower: Follower | undefined
let rebuilding: ProjectionStatus['rebuilding']
let building: Promise<void> | undefined
let isSuperseded = false

const publish = () => {
  // The process that writes says how it stands.
  if (isSuperseded) return
  const shown = (follower?.status() ?? []).map((status): ProjectionStatus =>
    rebuilding ? { ...status, state: 'rebuilding', rebuilding } : status,
  )
  if (shown.length > 0)
    orders
      .publish(shown)
      .catch((error: unknown) => trouble('the state of the warehouse cannot be published', error))
}

/** Until the server answers: it may come up after this process. */
async function reached<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (let isTold = false; !signal.aborted;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable) && !isTold) trouble('the warehouse cannot be prepared', error)
      else if (!isTold) trouble('waiting for the warehouse', error)
      isTold = true
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  return undefined
}

const rebuild = async () => {
  try {
    const of = await events.head()
    const progress = pacedProgress((position) => {
      rebuilding = { position, of }
      publish()
    })
    progress(0)
    await buildBeside({
      events,
      projection,
      beside: store.beside(),
      served: () => follower?.status()[0]?.position ?? 0,
      onProgress: progress,
      onTrouble: trouble,
      signal,
    })
    // What it was parked for may be gone with what was there.
    follower?.resume(WAREHOUSE)
  } catch (error) {
    if (!signal.aborted) trouble('the warehouse cannot be rebuilt; what was there is served', error)
  } finally {
    rebuilding = undefined
    if (!signal.aborted) publish()
  }
}
const startRebuild = () => (building ??= rebuild().finally(() => (building = undefined)))

const follow = async () => {
  const isOutdated = await reached(() => store.isOutdated())
  const last = await reached(() => store.lastEvent())
  const stray = await strayOf(events, last ? [last] : [], () => signal.aborted)
  if (stray && !signal.aborted) {
    trouble('the warehouse is of another log, and is written again', describeLast(stray))
    await reached(() => store.clear(stray))
  }
  if (signal.aborted) return
  follower = await followEvents({
    events,
    store,
    projections: [projection],
    onStatus: publish,
    // It is said once, when it is seen.
    onTrouble: (message, error) => error instanceof OtherDefinitions || trouble(message, error),
  })
  publish()
  if (isOutdated) void startRebuild()
}

/** Where another process was resumed, and has passed what stopped this one. */
const passedBy = async (): Promise<boolean> => {
  const error = follower?.status()[0]?.error
  return error !== undefined && (await store.position(WAREHOUSE)) >= error.position
}

/** A rebuild whose process died is begun again. One that is only slow finds that out, and gives up. */
const isLeft = standingStill(STILL_LOOKS)
const takeOver = async () => {
  const begun = building ? undefined : await store.begunRebuild()
  if (begun === undefined || !isLeft(begun)) return
  trouble('a rebuild of the warehouse was left by the process that began it, and begins again', begun)
  void startRebuild()
}

/** It is noticed without an event to write as well. */
const lookForOthers = async () => {
  const before = isSuperseded
  isSuperseded = await store.isSuperseded()
  if (isSuperseded === before) return
  parentPort!.postMessage({ kind: 'superseded', superseded: isSuperseded } satisfies FromWriter)
  if (isSuperseded) trouble('this process writes the warehouse no more', new OtherDefinitions())
  publish()
}

const watching = keepLooking({
  async look() {
    if (follower) await lookForOthers()
    // What it did would be by its own definitions.
    if (isSuperseded) return
    if (follower) await takeOver()
    if (await passedBy()) follower!.resume(WAREHOUSE)
    const order = follower && (await orders.take())
    if (order?.command === 'resume') follower!.resume(order.projection)
    if (order?.command === 'rebuild') void startRebuild()
  },
  onAway: (error) => trouble('orders for the warehouse cannot be read', error),
  everyMs: LOOK_MS,
  signal,
})

const followOn = async () => {
  while (!signal.aborted && !follower)
    try {
      await follow()
    } catch (error) {
      trouble('the warehouse cannot be written for now', error)
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
}
const following = followOn()

parentPort!.on('message', (message: ToWriter) => {
  if (message === 'grown') events.grown()
  else void close()
})

async function close(): Promise<void> {
  stopping.abort()
  await following
  await watching
  await building
  await follower?.stop()
  await events.close()
  await orders.close()
  await store.close()
  parentPort!.close()
}
