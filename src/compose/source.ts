/** Where threads read events from: the embedded file, read beside its writer, or the server whose URL is set. */
import { join } from 'node:path'
import { openEventReader } from '../adapters/sqlite/events/event-log.ts'
import { logSignal, subscription } from '../adapters/sqlite/events/subscription.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface SourceData {
  readonly dataDir: string
  /** Where events are, when they are not kept in `dataDir`. */
  readonly eventStoreUrl?: string | undefined
}

export type EventSource = Pick<EventStore, 'read' | 'subscribe' | 'head' | 'close'>

export interface GrowingSource extends EventSource {
  /** The embedded file has grown; until it is told, this source takes what is there for all. */
  grown(): void
}

export async function openSource({ dataDir, eventStoreUrl }: SourceData): Promise<GrowingSource> {
  if (eventStoreUrl !== undefined) {
    const store = (await import('../adapters/eventstoredb/event-store.ts')).eventStoreDbStore({
      url: eventStoreUrl,
    })
    return { ...store, grown: () => {} }
  }
  const reader = openEventReader(join(dataDir, 'events.db'), 'once')
  const signal = logSignal()
  return {
    read: async (company, stream, after = 0) => reader.read(company, stream, after),
    subscribe: (after) => subscription({ after, readAll: reader.readAll, signal }),
    head: async () => reader.head(),
    grown: signal.grown,
    async close() {
      signal.close()
      reader.close()
    },
  }
}
