/**
 * Where the journal is. With embedded events they are it themselves, with their index; with EventStoreDB and MongoDB it is a
 * collection; with EventStoreDB alone the one process that there is then keeps it in DATA_DIR.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { linkCopier, type CopierLink } from '../adapters/sqlite/events/copier-link.ts'
import { removeEventCopy } from '../adapters/sqlite/events/event-copy.ts'
import { sqliteJournal } from '../adapters/sqlite/events/journal.ts'
import type { Log } from '../ports/log.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../domain/definition.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Journal } from '../ports/journal.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import { followChanges, type FollowedChanges } from '../projections/follow-changes.ts'
import type { CopierData } from './threads/copier.ts'
import type { JournalPlace } from './threads/past.ts'

export interface OpenedJournal {
  readonly journal: Journal
  readonly place: JournalPlace
  readonly controls: readonly ProjectionControl[]
  /** Where others append to the event store: what they change. */
  readonly told: Pick<FollowedChanges, 'told' | 'listen'> | undefined
  close(): Promise<void>
}

export interface JournalOptions {
  readonly config: Config
  readonly definitions: Definitions
  readonly events: EventStore
  readonly log: Log
}

export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const { DATA_DIR: dataDir, EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoUrl } = options.config
  if (!eventStoreUrl) return eventFileJournal(join(dataDir, 'events.db'), options)
  // Of an earlier version.
  removeEventCopy(join(dataDir, 'mirror.db'))
  return mongoUrl
    ? sharedJournal(mongoUrl, options)
    : copiedJournal({ path: join(dataDir, 'journal.db'), eventStoreUrl }, options)
}

function eventFileJournal(path: string, { events }: JournalOptions): OpenedJournal {
  const journal = sqliteJournal({ path, caughtUp: () => events.head() })
  return { journal, place: { path }, controls: [], told: undefined, close: () => journal.close() }
}

async function sharedJournal(url: string, options: JournalOptions): Promise<OpenedJournal> {
  const { config, definitions, events, log } = options
  const told = config.ROLES.has('api')
    ? followChanges({ events, onAway: (err) => log.warn({ err }, 'changes cannot be followed for now') })
    : undefined
  const writes = config.ROLES.has('projections')
  const { openMongoJournal } = await import('../adapters/mongodb/keeping/journal.ts')
  const shared = openMongoJournal({ url, definitions, events, log, writes })
  return {
    journal: shared.journal,
    place: { mongoUrl: url },
    controls: [shared.control],
    told,
    async close() {
      await shared.close()
      await told?.close()
    },
  }
}

async function copiedJournal(data: CopierData, { events, log }: JournalOptions): Promise<OpenedJournal> {
  const copier = await startCopier(data, log)
  const journal = sqliteJournal({
    path: data.path,
    async caughtUp() {
      const head = await events.head()
      await copier.reached(head)
      return head
    },
  })
  return {
    journal,
    place: { path: data.path },
    controls: [],
    told: copier,
    async close() {
      await journal.close()
      await copier.close()
    },
  }
}

function startCopier(data: CopierData, log: Log): Promise<CopierLink> {
  mkdirSync(join(data.path, '..'), { recursive: true })
  const worker = new Worker(new URL('./threads/copier.ts', import.meta.url), {
    name: 'copier',
    workerData: data,
  })
  return linkCopier(worker, (message, detail) => log.warn({ detail }, message))
}
