/**
 * Which engine keeps what: embedded files where no URL is set, servers where one is. Any mix is valid.
 *
 * | events | read models | who projects |
 * |---|---|---|
 * | embedded | embedded | the engine thread |
 * | EventStoreDB | embedded | the engine thread |
 * | embedded | MongoDB | this process |
 * | EventStoreDB | MongoDB | the process with the role `projections` that holds the lease |
 *
 * What looks back asks the journal: with embedded events they are it themselves; with EventStoreDB and MongoDB it is a
 * collection, which the processes with the role `projections` write; with EventStoreDB alone the one process that there is
 * then keeps it in DATA_DIR.
 *
 * Drivers are loaded when a URL asks for them: they would make every start slower and every process larger.
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { folderFiles } from '../adapters/folder/files.ts'
import { linkEngine, type EngineLink } from '../adapters/sqlite/events/engine-link.ts'
import { sqliteEventStore } from '../adapters/sqlite/events/event-store.ts'
import { heldDataDir, type DataDir } from '../adapters/sqlite/files/held-data-dir.ts'
import { sqliteProjectionControl } from '../adapters/sqlite/read-models/projection-control.ts'
import { sqliteReadModels } from '../adapters/sqlite/read-models/read-models.ts'
import type { Log } from '../ports/log.ts'
import { toldChanges, type ToldChanges } from '../commands/support/told-changes.ts'
import type { EngineData } from './threads/engine.ts'
import { listenToNotices, type EventStoreNotices } from './event-store-notices.ts'
import { strayOf } from '../projections/log-state.ts'
import { openJournal } from './journal.ts'
import type { JournalPlace } from './threads/past.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../domain/definition.ts'
import type { Position } from '../domain/events/event.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Files } from '../ports/files.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import type { Journal } from '../ports/journal.ts'
import type { LastEvent } from '../ports/projection-store.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { READ_MODEL_PROJECTIONS } from '../projections/read-model-projections.ts'

export interface Stores {
  readonly events: EventStore
  readonly readModels: ReadModels
  /** What keeps the embedded files, where there are any. */
  readonly engine: EngineLink | undefined
  readonly projections: ProjectionControl
  /**
   * The last event that the read models cover, where it is not in the log: they are of another one, and about to be rebuilt.
   * @throws Unavailable when they cannot be asked
   */
  readonly otherLog: () => Promise<LastEvent | undefined>
  readonly files: Files
  readonly journal: Journal
  readonly journalPlace: JournalPlace
  /** Of projections beside the read models. */
  readonly controls: readonly ProjectionControl[]
  /** No other process appends to the event store. */
  readonly onlyWriter: boolean
  /** Where others append too, and this process follows them: what they change. */
  readonly changes: ToldChanges | undefined
  /** What the subscriptions to a server have noticed; undefined where events are embedded. */
  readonly noticed: () => ReturnType<EventStoreNotices['counts']> | undefined
  /** Makes DATA_DIR this process's own. @throws Error when another process has it */
  readonly holdDataDir: () => void
  close(): Promise<void>
}

export interface StoresOptions {
  readonly config: Config
  readonly definitions: Definitions
  readonly log: Log
  readonly onFatal: (reason: string) => void
  /** A group of this many appends shared a commit; `head`: position of the last event. */
  readonly onAppendGroup: (size: number, head: Position) => void
}

export async function openStores(options: StoresOptions): Promise<Stores> {
  const { config, definitions, log } = options
  const { EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoUrl } = config
  const dataDir = heldDataDir(config.DATA_DIR, options.onFatal)
  const embedded = eventStoreUrl && mongoUrl ? undefined : await openEmbedded(options, dataDir)

  const noticed = eventStoreUrl ? listenToNotices(config.DATA_DIR, log, options.onFatal) : undefined
  const events = eventStoreUrl
    ? (await import('../adapters/eventstoredb/event-store.ts')).eventStoreDbStore({
        url: eventStoreUrl,
        notice: (notice) => noticed?.notice(notice),
      })
    : sqliteEventStore({ path: join(config.DATA_DIR, 'events.db'), engine: embedded!.engine })
  const looking = await openJournal({ config, definitions, events, log })
  const mongoModels = mongoUrl
    ? await (
        await import('../adapters/mongodb/read-models/read-models.ts')
      ).mongoReadModels({ url: mongoUrl, definitions, projections: READ_MODEL_PROJECTIONS })
    : undefined
  const readModels =
    mongoModels ??
    sqliteReadModels({
      path: embedded!.engine.readModelPath,
      definitions,
      engine: embedded!.engine,
      projections: READ_MODEL_PROJECTIONS,
    })
  const stopProjecting =
    mongoUrl && config.ROLES.has('projections')
      ? (await import('../adapters/mongodb/keeping/read-models.ts')).keepMongoReadModels({
          url: mongoUrl,
          definitions,
          events,
          log,
          now: Date.now,
        })
      : undefined
  const mongoControl = mongoUrl
    ? (await import('../adapters/mongodb/read-models/projection-control.ts')).mongoProjectionControl({
        url: mongoUrl,
        definitions,
        readModels,
      })
    : undefined

  const files = mongoUrl
    ? (await import('../adapters/mongodb/files.ts')).mongoFiles({ url: mongoUrl })
    : folderFiles(join(config.DATA_DIR, 'files'))

  let isClosing = false
  return {
    events,
    readModels,
    engine: embedded?.engine,
    // The engine thread has left another log before it says how far its read models have come.
    otherLog: async () =>
      mongoModels && (await strayOf(events, await mongoModels.lastEvents(), () => isClosing)),
    projections: mongoControl ?? sqliteProjectionControl({ readModels, engine: embedded!.engine }),
    files,
    journal: looking.journal,
    journalPlace: looking.place,
    controls: looking.controls,
    onlyWriter: !eventStoreUrl,
    changes: looking.told && toldChanges({ ...looking.told, events, elapsed: () => performance.now() }),
    noticed: () => noticed?.counts(),
    holdDataDir: dataDir.hold,
    async close() {
      isClosing = true
      await stopProjecting?.()
      await mongoControl?.close()
      await files.close()
      await looking.close()
      await readModels.close()
      await events.close()
      noticed?.close()
      await embedded?.close()
      dataDir.release()
    },
  }
}

/** What events and documents are made of is garbage at once: without a limit V8 keeps some 60 MB of room for it. */
const MEMORY = { maxYoungGenerationSizeMb: 16 }

async function openEmbedded(
  { config, definitions, log, onFatal, onAppendGroup }: StoresOptions,
  dataDir: DataDir,
): Promise<{ engine: EngineLink; close(): Promise<void> }> {
  dataDir.hold()
  const data: EngineData = {
    dataDir: config.DATA_DIR,
    definitions: [...definitions.values()],
    eventStoreUrl: config.EVENTSTORE_URL,
    keepsReadModels: config.MONGODB_URL === undefined,
  }
  const worker = new Worker(new URL('./threads/engine.ts', import.meta.url), {
    name: 'engine',
    workerData: data,
    resourceLimits: MEMORY,
  })
  const engine = await linkEngine(worker).catch((error: unknown) => {
    dataDir.release()
    throw error
  })
  engine.listen((message) => {
    if (message.kind === 'appended') onAppendGroup(message.outcomes.length / 2, message.head)
    else if (message.kind === 'trouble') log.error({ detail: message.detail }, message.message)
    else if (message.kind === 'fatal') onFatal(message.message)
  })
  return { engine, close: () => engine.close() }
}
