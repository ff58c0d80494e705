/**
 * The read models on MongoDB as the process with the role `projections` keeps them: it writes whenever it holds the
 * lease, and does what operators ask: resume, and rebuild beside what is served (blue/green).
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { MongoProjectionStore } from '../../adapters/mongodb/read-models/projection-store.ts'
import type { Log } from '../../api/http/log.ts'
import { keepLooking } from '../keep-looking.ts'
import { pacedProgress } from '../progress.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { readModelProjections } from '../../projections/read-model-projections.ts'

export interface MongoProjectionsOptions {
  readonly url: string
  readonly definitions: Definitions
  readonly events: EventStore
  readonly log: Log
  readonly now: () => number
}

/** A generation, and what follows the events into it once this process leads. */
interface Side {
  readonly generation: string
  readonly store: MongoProjectionStore
  follower?: Follower
  statuses: readonly ProjectionStatus[]
}

const LOOK_MS = 1_000
/** What a rebuild lags behind by, in time, when it is about to be served: so long may reads stand still. */
const NEAR_MS = 1_000

/** How far all of its projections have come; -1 before it is known. */
const positionOf = ({ statuses }: Side): Position =>
  statuses.length === 0 ? -1 : Math.min(...statuses.map(({ position }) => position))

/** Returns what ends it. */
export async function keepMongoReadModels(options: MongoProjectionsOptions): Promise<() => Promise<void>> {
  const { url, definitions, events, log, now } = options
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const { mongoProjectionStore } = await import('../../adapters/mongodb/read-models/projection-store.ts')
  const { projectionOrders } = await import('../../adapters/mongodb/read-models/projection-control.ts')
  const { GRACE_MS, rebuildOf } = await import('../../adapters/mongodb/read-models/serving.ts')
  const { generationOf } = await import('../../adapters/mongodb/connection.ts')
  const orders = projectionOrders({ url, definitions })
  const base = generationOf(definitions)
  const stopping = new AbortController()
  const { signal } = stopping
  const open = new Set<Side>()
  let serving: Side
  let rebuilding: ProjectionStatus['rebuilding']

  const publish = () => {
    const shown = serving.statuses.map((status): ProjectionStatus =>
      rebuilding
        ? { ...status, state: status.state === 'live' ? 'rebuilding' : status.state, rebuilding }
        : status,
    )
    if (shown.length === 0) return
    serving.store
      .publish(shown)
      .catch((error: unknown) => onTrouble('the state of the projections cannot be published', error))
  }

  const openSide = async (generation: string): Promise<Side> => {
    const store = await mongoProjectionStore({ url, definitions, generation, onTrouble })
    const side: Side = { generation, store, statuses: [] }
    open.add(side)
    return side
  }
  const lead = async (side: Side, onStatus: () => void) => {
    await side.store.leading()
    if (signal.aborted || !open.has(side)) return
    side.follower = await followEvents({
      events,
      store: side.store,
      projections: readModelProjections(definitions),
      onStatus(statuses) {
        side.statuses = statuses
        onStatus()
      },
      onTrouble,
    })
  }
  const closeSide = async (side: Side) => {
    open.delete(side)
    await side.follower?.stop()
    await side.store.close()
  }
  const goOn = (side: Side) => {
    lead(side, () => side === serving && publish()).catch((error: unknown) => {
      if (open.has(side)) onTrouble('projections cannot start', error)
    })
  }
  const serve = (side: Side) => {
    serving = side
    goOn(side)
  }

  const rebuild = async () => {
    const before = serving
    const target = await events.head()
    rebuilding = { position: 0, of: target }
    publish()
    const side = await openSide(rebuildOf(base, now()))
    try {
      const progress = pacedProgress((position) => {
        rebuilding = { position, of: target }
        publish()
      })
      let look = () => {}
      await lead(side, () => {
        progress(positionOf(side))
        look()
      })
      /** Waits until the new side has come as far. */
      const reached = (position: Position) =>
        new Promise<void>((resolve, reject) => {
          look = () => {
            const error = side.statuses.find((status) => status.error)?.error
            if (signal.aborted) reject(new Error('the process is stopping'))
            else if (error) reject(new Error(`position ${error.position}: ${error.message}`))
            else if (positionOf(side) >= position) resolve()
          }
          signal.addEventListener('abort', look, { once: true })
          look()
        })
      // While others write, both move on, and the new side may stay a step behind for ever.
      for (let isNear = false; !isNear;) {
        const began = performance.now()
        await reached(positionOf(before))
        await side.store.settled()
        isNear = performance.now() - began < NEAR_MS
      }
      // From here until it has the last of the old one's events, writes wait to be seen.
      await before.follower?.stop()
      try {
        await reached(positionOf(before))
        await side.store.settled()
        await orders.serve(side.generation)
      } finally {
        // Processes that have not looked yet still read the old one.
        goOn(before)
      }
      rebuilding = undefined
      publish()
      serving = side
      publish()
      void delay(GRACE_MS, undefined, { signal, ref: false })
        .then(() => closeSide(before))
        .catch(() => {})
    } catch (error) {
      await closeSide(side)
      if (!signal.aborted)
        onTrouble('the read models could not be rebuilt; those that were there are served on', error)
      rebuilding = undefined
      publish()
    }
  }

  /** Takes orders where this process writes; where another does, notices that it has changed over. */
  const look = async () => {
    if (serving.follower) {
      const order = await orders.take()
      if (order?.command === 'resume') serving.follower.resume(order.projection)
      if (order?.command === 'rebuild' && !rebuilding) void rebuild()
      return
    }
    const generation = await orders.serving()
    if (generation === serving.generation) return
    const before = serving
    serve(await openSide(generation))
    await closeSide(before)
  }

  const first = await orders.serving().catch(() => base)
  serve(await openSide(first))
  const watching = keepLooking({
    look,
    onAway: (error) => onTrouble('orders for the projections cannot be read for now', error),
    everyMs: LOOK_MS,
    signal,
  })

  return async () => {
    stopping.abort()
    await watching
    await Promise.all([...open].map(closeSide))
    await orders.close()
  }
}
