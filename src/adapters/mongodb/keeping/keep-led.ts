/**
 * A projection in MongoDB as the processes with the role `projections` keep it: the one that holds the lease writes, and
 * does what operators ask: resume, and write everything again from the first event.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { LedStore } from '../led-store.ts'
import type { ProjectionOrders } from '../read-models/projection-control.ts'
import { keepLooking } from '../../../projections/keep-looking.ts'
import { describeLast, strayOf } from '../../../projections/log-state.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { followEvents, type Follower } from '../../../projections/follow.ts'
import type { Projection } from '../../../projections/projection.ts'

export interface KeepLedOptions<O> {
  /** For log lines: `the warehouse`. */
  readonly what: string
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  readonly projection: Projection<O>
  readonly store: LedStore<O>
  readonly orders: Pick<ProjectionOrders, 'take' | 'close'>
  readonly onTrouble: (message: string, error: unknown) => void
}

const LOOK_MS = 1_000

/** Returns what ends it, and closes the store. */
export function keepLed<O>({
  what,
  events,
  projection,
  store,
  orders,
  onTrouble,
}: KeepLedOptions<O>): () => Promise<void> {
  const { name } = projection
  const stopping = new AbortController()
  const { signal } = stopping
  let follower: Follower | undefined
  /** Where a rebuild has to come to. */
  let target = 0

  const publish = (statuses: readonly ProjectionStatus[]) => {
    const shown = statuses.map((status) => shownOf(status, target))
    store
      .publish(shown)
      .catch((error: unknown) => onTrouble(`the state of the projection ${name} cannot be published`, error))
  }
  const follow = async () => {
    follower = await followEvents({
      events,
      store,
      projections: [projection],
      onStatus: publish,
      onTrouble,
    })
  }
  const rebuild = async () => {
    target = await events.head()
    await follower?.stop()
    await store.clear()
    await follow()
  }

  const look = async () => {
    // Without the lease it could do nothing about them.
    const order = follower && store.isLeading() ? await orders.take() : undefined
    if (order?.command === 'resume') follower!.resume(order.projection)
    if (order?.command === 'rebuild') await rebuild()
  }
  /** Begins again where it is not of the log that is followed. */
  const leaveOtherLog = async () => {
    const last = await store.last()
    const stray = await strayOf(events, last ? [last] : [], () => signal.aborted)
    if (!stray || signal.aborted) return
    onTrouble(`${what} in MongoDB is of another log, and is written again`, describeLast(stray))
    await store.clear()
  }
  const lead = async () => {
    await store.leading()
    if (!signal.aborted) await leaveOtherLog()
    if (!signal.aborted) await follow()
  }
  const leading = untilDone(lead, signal, (error) =>
    onTrouble(`${what} cannot be written to MongoDB; it is tried again`, error),
  )
  const watching = keepLooking({
    look,
    onAway: (error) => onTrouble(`orders for the projection ${name} cannot be read`, error),
    everyMs: LOOK_MS,
    signal,
  })

  return async () => {
    stopping.abort()
    await watching
    await follower?.stop()
    await store.close()
    await leading
    await orders.close()
  }
}

/** The server may be away for a while. */
async function untilDone(
  work: () => Promise<void>,
  signal: AbortSignal,
  onFailed: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted)
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) return
      onFailed(error)
      await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {})
    }
}

/** A rebuild is under way until it has come to its target. */
function shownOf(status: ProjectionStatus, target: Position): ProjectionStatus {
  const { position, error } = status
  if (position >= target || error) return status
  return { ...status, state: 'rebuilding', rebuilding: { position, of: target } }
}
