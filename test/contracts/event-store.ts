/**
 * What every event store must do. Adapters run this; they never copy it.
 *
 * It also runs against a server that others use: streams and companies are fresh each time, the store is never assumed
 * to be empty or ours alone, and `open` opens the same store again each time.
 */
import type { EventStore } from '../../src/ports/event-store.ts'
import { appendingContract } from './event-store/appending.ts'
import { followingContract } from './event-store/following.ts'
import { packedRowsContract } from './event-store/packed-rows.ts'
import { openedStore } from './event-store/opened-store.ts'

export function eventStoreContract(open: () => Promise<EventStore>): void {
  const given = openedStore(open)
  appendingContract(given)
  followingContract(given)
  packedRowsContract(given)
}
