/** Where threads read events from: the embedded file, read beside its writer, or the server whose URL is set. */
import { join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { openEventReader } from '../adapters/sqlite/events/event-reader.ts'
import { logSignal, subscription } from '../adapters/sqlite/events/subscription.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface SourceData {
  readonly dataDir: string
  /** Where events are, when they are not kept in `dataDir`. */
  readonly eventStoreUrl?: string | undefined
}

/** The channel for what the subscriptions of a service's threads notice; the main thread counts and logs it. */
export function notices(dataDir: string): BroadcastChannel {
  const channel = new BroadcastChannel(`notices of the event store: ${dataDir}`)
  channel.unref()
  return channel
}

export type EventSource = Pick<EventStore, 'read' | 'subscribe' | 'head' | 'close'>

export interface GrowingSource extends EventSource {
  /** The embedded file has grown; until this call, the source takes what is there for all. */
  grown(): void
}

/** @param follows `records`: who subscribes passes the service's own bookkeeping over, and the embedded file need not hand it out */
export async function openSource(
  { dataDir, eventStoreUrl }: SourceData,
  follows: 'everything' | 'records' = 'everything',
): Promise<GrowingSource> {
  if (eventStoreUrl !== undefined) {
    const channel = notices(dataDir)
    const store = (await import('../adapters/eventstoredb/event-store.ts')).eventStoreDbStore({
      url: eventStoreUrl,
      // That the server is away, the main thread notices as well.
      notice: (notice) => {
        if (['silent', 'foreign', 'replaced'].includes(notice.kind)) channel.postMessage(notice)
      },
    })
    return {
      ...store,
      grown: () => {},
      async close() {
        await store.close()
        channel.close()
      },
    }
  }
  const reader = openEventReader(join(dataDir, 'events.db'), 'once')
  const signal = logSignal()
  const followed = follows === 'records' ? reader.readRecords : reader.readAll
  return {
    read: async (company, stream, after = 0) => reader.read(company, stream, after),
    subscribe: (after) => subscription({ after, read: followed, signal }),
    head: async () => reader.head(),
    grown: signal.grown,
    async close() {
      signal.close()
      reader.close()
    },
  }
}
