/** What an EventStoreDB holds. */
import { eventStoreDbStore } from '../../../src/adapters/eventstoredb/event-store.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'

/** Every event up to where the log ends now, in order. */
export async function eventsIn(url: string): Promise<readonly RecordedEvent[]> {
  const store = eventStoreDbStore({ url })
  try {
    const head = await store.head()
    const all: RecordedEvent[] = []
    for await (const { events, position } of store.subscribe(0)) {
      all.push(...events)
      if (position >= head) break
    }
    return all
  } finally {
    await store.close()
  }
}
