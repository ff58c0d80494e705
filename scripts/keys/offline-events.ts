/**
 * The events of a service that does not run, to be read through and added to: the file in a folder, which is locked
 * meanwhile, or the server of a URL, whose processes have to be stopped by hand.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openEventLog, type EventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import { openEventReader } from '../../src/adapters/sqlite/events/event-reader.ts'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import { streamOf } from '../../src/domain/events/stream-name.ts'
import { writtenText } from '../../src/domain/events/written-text.ts'
import { VersionConflict, type EventStore } from '../../src/ports/event-store.ts'

export interface OfflineEvents extends Pick<EventStore, 'append' | 'last'> {
  /** All events that there are now, some at a time; those that cannot be read are marked. */
  all(): AsyncIterable<readonly RecordedEvent[]>
  close(): Promise<void>
}

const BATCH = 1_000

/** @throws Error where the folder has no events, or a process has it open */
export async function openOffline(folder: string, eventStoreUrl?: string): Promise<OfflineEvents> {
  return eventStoreUrl === undefined ? openFile(folder) : openServer(eventStoreUrl)
}

function openFile(folder: string): OfflineEvents {
  const path = join(folder, 'events.db')
  if (!existsSync(path)) throw new Error(`there is no event file in ${folder}`)
  const { release } = lockDataDir(folder)
  let log: EventLog
  try {
    log = openEventLog(path)
  } catch (error) {
    release()
    throw error
  }
  const reader = openEventReader(path, 'once')
  return {
    async append({ company, stream, expected, events }) {
      const packed = events.map((event) => ({ id: event.id, type: event.type, ...writtenText(event) }))
      const name = streamOf(company, stream)
      const [outcome] = log.append([{ company, stream: name, expected, events: packed }])
      if (!outcome || 'conflict' in outcome)
        throw new VersionConflict(stream, expected, outcome?.conflict ?? 0)
      return outcome
    },
    last: async (company, stream) => reader.last(company, stream),
    async *all() {
      for (let after = 0, events: RecordedEvent[]; ; after = events.at(-1)!.position) {
        events = reader.readAll(after, BATCH)
        if (events.length === 0) return
        yield events
      }
    },
    async close() {
      reader.close()
      log.close()
      release()
    },
  }
}

async function openServer(url: string): Promise<OfflineEvents> {
  const { eventStoreDbStore } = await import('../../src/adapters/eventstoredb/event-store.ts')
  const store = eventStoreDbStore({ url })
  return {
    append: store.append,
    last: store.last,
    async *all() {
      const head = await store.head()
      if (head === 0) return
      for await (const { events, position } of store.subscribe(0)) {
        yield events.filter((event) => event.position <= head)
        if (position >= head) return
      }
      throw new Error('the event store was closed while its events were read')
    },
    close: () => store.close(),
  }
}
