/**
 * Where the journal is. With embedded events they are it themselves, with their index; with EventStoreDB and MongoDB it is a
 * collection; with EventStoreDB alone the one process that there is then keeps it in DATA_DIR.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { removeEventMirror } from '../adapters/sqlite/events/event-mirror.ts'
import { sqliteJournal } from '../adapters/sqlite/events/journal.ts'
import { linkMirror, type MirrorLink } from '../adapters/sqlite/events/mirror-link.ts'
import type { Log } from '../api/http/log.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../domain/definition.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Journal } from '../ports/journal.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import { openMongoJournal } from './mongodb/journal.ts'
import type { MirrorData } from './threads/mirror.ts'
import type { JournalPlace } from './threads/past.ts'

export interface OpenedJournal {
  readonly journal: Journal
  readonly place: JournalPlace
  readonly controls: readonly ProjectionControl[]
  /** Where others write to the store of events: what they change. */
  readonly told: MirrorLink | undefined
  close(): Promise<void>
}

export interface JournalOptions {
  readonly config: Config
  readonly definitions: Definitions
  readonly events: EventStore
  readonly log: Log
}

export async function openJournal({
  config,
  definitions,
  events,
  log,
}: JournalOptions): Promise<OpenedJournal> {
  const { DATA_DIR: dataDir, EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoUrl, ROLES: roles } = config
  const isShared = eventStoreUrl !== undefined && mongoUrl !== undefined
  const path = join(dataDir, eventStoreUrl ? 'journal.db' : 'events.db')
  // Of an earlier version: a copy of all events.
  if (eventStoreUrl) removeEventMirror(join(dataDir, 'mirror.db'))
  const told =
    eventStoreUrl && roles.has('api')
      ? await followServer({ path: isShared ? undefined : path, eventStoreUrl }, log)
      : undefined
  if (isShared) {
    const writes = roles.has('projections')
    const shared = await openMongoJournal({ url: mongoUrl, definitions, events, log, writes })
    return {
      journal: shared.journal,
      place: { mongoUrl },
      controls: [shared.control],
      told,
      async close() {
        await shared.close()
        await told?.close()
      },
    }
  }
  const journal = sqliteJournal({
    path,
    async caughtUp() {
      const head = await events.head()
      await told?.reached(head)
      return head
    },
  })
  return {
    journal,
    place: { path },
    controls: [],
    told,
    async close() {
      await journal.close()
      await told?.close()
    },
  }
}

/** What changes on the server; and where this process keeps the journal, a copy of the events. */
function followServer(data: MirrorData, log: Log): Promise<MirrorLink> {
  if (data.path !== undefined) mkdirSync(dirname(data.path), { recursive: true })
  const worker = new Worker(new URL('./threads/mirror.ts', import.meta.url), { workerData: data })
  return linkMirror(worker, (message, detail) => log.warn({ detail }, message))
}
