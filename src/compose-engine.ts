/**
 * The engine thread: the one writer of the embedded files.
 *
 * The composition root of this thread, as `compose.ts` is of the process. It keeps the events, or the read models, or,
 * by default, both. Appends that wait share one commit; the projections follow in the same thread, so that no other has
 * to be asked on the way.
 */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { startCheckpoints } from './adapters/sqlite/checkpoints.ts'
import {
  flattenOutcomes,
  unflatten,
  type FromEngine,
  type ToEngine,
} from './adapters/sqlite/engine-messages.ts'
import { openEventLog } from './adapters/sqlite/event-log.ts'
import { readModelPath, removeOtherGenerations } from './adapters/sqlite/generation.ts'
import { isDiskTrouble, isFsyncFailure, openForWriting } from './adapters/sqlite/open.ts'
import { sqliteProjectionStore } from './adapters/sqlite/projection-store.ts'
import { logSignal, subscription } from './adapters/sqlite/subscription.ts'
import type { ObjectDefinition } from './domain/definition.ts'
import type { Position } from './domain/event.ts'
import type { EventStore } from './ports/event-store.ts'
import type { ProjectionStore } from './ports/projection-store.ts'
import type { ProjectionStatus } from './ports/read-models.ts'
import { followEvents } from './projections/follow.ts'
import { recordsProjection } from './projections/records.ts'
import { searchProjection } from './projections/search.ts'

export interface EngineData {
  readonly dataDir: string
  readonly definitions: readonly ObjectDefinition[]
  /** Where events are, when they are not kept here. */
  readonly eventStoreUrl?: string | undefined
  /** Whether read models are kept here. */
  readonly keepsReadModels: boolean
}

const { dataDir, definitions: list, eventStoreUrl, keepsReadModels } = workerData as EngineData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const say = (message: FromEngine) => parentPort!.postMessage(message)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const eventsPath = join(dataDir, 'events.db')
const log = eventStoreUrl === undefined ? openEventLog(eventsPath) : undefined
const signal = logSignal()

const modelsPath = readModelPath(dataDir, definitions)
const models = keepsReadModels
  ? openForWriting({ path: modelsPath, synchronous: 'NORMAL', cacheMegabytes: 64 })
  : undefined

const checkpoints = startCheckpoints(
  [
    ...(log ? [{ db: log.db, path: eventsPath, grown: 4_000 }] : []),
    ...(models ? [{ db: models, path: modelsPath, grown: 16_000 }] : []),
  ],
  (path) => say({ kind: 'fatal', message: `the disk refused an fsync of ${path}` }),
)

let pending: Extract<ToEngine, { kind: 'append' }>[] = []
let closing = false

const flush = () => {
  const groups = pending
  pending = []
  const all = groups.flatMap(({ appends }) => unflatten(appends))
  const first = groups[0]?.first ?? 0
  if (log && all.length > 0) {
    try {
      say({ kind: 'appended', first, outcomes: flattenOutcomes(log.append(all)), head: log.head() })
      checkpoints.written(log.db)
      signal.grown()
    } catch (error) {
      say({ kind: 'failed', first, count: all.length, message: messageOf(error), disk: isDiskTrouble(error) })
      // Whether the group is on the disk is not known, and asking again would not tell.
      if (isFsyncFailure(error))
        say({ kind: 'fatal', message: `the disk refused an fsync: ${messageOf(error)}` })
    }
  }
  if (closing) void close()
}

let statuses: readonly ProjectionStatus[] = []
/** Where the events ended at the start: from there on the read models are whole. Unknown: the store could not tell. */
let whole: Position | undefined
/** Until the read models have been whole once, and show every new name, nobody is told that they have got this far. */
let standing: 'building' | 'settling' | 'settled' = 'building'
const report = (current: readonly ProjectionStatus[]) => {
  statuses = current
  checkpoints.written(models!)
  // A fan-out of an earlier process moves on before anyone follows.
  if (statuses.length === 0) return
  const parked = statuses.some(({ state }) => state === 'parked')
  if (standing === 'building' && statuses.every(({ position }) => position >= (whole ?? 0))) void settle()
  if (standing === 'settled' || parked) say({ kind: 'projected', statuses, touched: store!.takeTouched() })
}
const settle = async () => {
  standing = 'settling'
  await store!.settled()
  standing = 'settled'
  if (whole !== undefined) removeOtherGenerations(dataDir, modelsPath)
  report(statuses)
}
const store =
  models && sqliteProjectionStore({ db: models, definitions, onBackgroundChange: () => report(statuses) })

const project = async (target: ProjectionStore, events: Pick<EventStore, 'subscribe' | 'head' | 'close'>) => {
  whole = await events.head().catch(() => undefined)
  const follower = await followEvents({
    events,
    store: target,
    projections: [recordsProjection(definitions), searchProjection(definitions)],
    onStatus: report,
    onTrouble: (message, error) => say({ kind: 'trouble', message, detail: messageOf(error) }),
  })
  return async () => {
    await events.close()
    await follower.stop()
    await target.close()
  }
}

const close = async () => {
  signal.close()
  // Before the files are closed that it looks at.
  await checkpoints.stop()
  await stopProjecting?.()
  log?.close()
  say({ kind: 'closed' })
  parentPort!.close()
}

parentPort!.on('message', (message: ToEngine) => {
  if (message.kind === 'append') pending.push(message)
  else closing = true
  if (pending.length + Number(closing) === 1) setImmediate(flush)
})

say({ kind: 'open', readModelPath: modelsPath, head: log?.head() ?? 0 })
const source = log
  ? {
      subscribe: (after: number) => subscription({ after, readAll: log.readAll, signal }),
      head: async () => log.head(),
      close: async () => {},
    }
  : (await import('./adapters/eventstoredb/event-store.ts')).eventStoreDbStore({
      url: eventStoreUrl!,
      log: (message) => say({ kind: 'trouble', message, detail: 'event store' }),
    })
const stopProjecting = store && (await project(store, source))
