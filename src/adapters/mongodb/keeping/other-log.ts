/** Read models on MongoDB that are of another log than the one that is followed: an empty generation takes their place. */
import type { ProjectionOrders } from '../read-models/projection-control.ts'
import type { MongoProjectionStore } from '../read-models/projection-store.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import { describeLast, strayOf } from '../../../projections/log-state.ts'

export interface LeaveOtherLogOptions {
  readonly events: Pick<EventStore, 'read'>
  readonly orders: Pick<ProjectionOrders, 'serve'>
  readonly openStore: (generation: string, replaces: string) => Promise<MongoProjectionStore>
  /** A name for a generation, which no other has. */
  readonly nextGeneration: () => string
  readonly onTrouble: (message: string, error: unknown) => void
  readonly isClosing: () => boolean
}

/**
 * To be called once the store leads. Answers whether it is of another log, and another generation is served from now on.
 * @throws Unavailable when MongoDB cannot be asked
 */
export async function leftOtherLog(
  { generation, store }: { readonly generation: string; readonly store: MongoProjectionStore },
  { events, orders, openStore, nextGeneration, onTrouble, isClosing }: LeaveOtherLogOptions,
): Promise<boolean> {
  const stray = await strayOf(events, await store.lastEvents(), isClosing)
  if (!stray || isClosing()) return false
  onTrouble('the read models are of another log, and are rebuilt', new Error(describeLast(stray)))
  const next = nextGeneration()
  const empty = await openStore(next, generation)
  try {
    // It is there before anyone is asked to read it.
    await empty.leading()
  } finally {
    await empty.close()
  }
  await orders.serve(next)
  return true
}
