/**
 * The engine thread of embedded mode: the one writer of the event file and of the read models' file.
 *
 * The composition root of this thread, as `compose.ts` is of the process. Appends that wait share one commit; the
 * projections follow in the same thread, so that no other has to be asked on the way.
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
import { followEvents } from './projections/follow.ts'
import { recordsProjection } from './projections/records.ts'
import { searchProjection } from './projections/search.ts'
import type { ProjectionStatus } from './ports/read-models.ts'

export interface EngineData {
  readonly dataDir: string
  readonly definitions: readonly ObjectDefinition[]
}

const { dataDir, definitions: list } = workerData as EngineData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const say = (message: FromEngine) => parentPort!.postMessage(message)

const eventsPath = join(dataDir, 'events.db')
const modelsPath = readModelPath(dataDir, definitions)
const log = openEventLog(eventsPath)
const modelsDb = openForWriting({ path: modelsPath, synchronous: 'NORMAL', cacheMegabytes: 64 })
const store = sqliteProjectionStore({ db: modelsDb, definitions, onBackgroundChange: () => report(statuses) })
const checkpoints = startCheckpoints([
  { db: log.db, path: eventsPath },
  { db: modelsDb, path: modelsPath },
])

let statuses: readonly ProjectionStatus[] = []
let building = true
const report = (current: readonly ProjectionStatus[]) => {
  statuses = current
  checkpoints.written(modelsDb)
  say({ kind: 'projected', statuses, touched: store.takeTouched() })
  if (building && statuses.every(({ position }) => position >= log.head())) {
    building = false
    removeOtherGenerations(dataDir, modelsPath)
  }
}

let pending: Extract<ToEngine, { kind: 'append' }>[] = []
let closing = false
const signal = logSignal()

const flush = () => {
  const groups = pending
  pending = []
  const all = groups.flatMap(({ appends }) => unflatten(appends))
  const first = groups[0]?.first ?? 0
  if (all.length > 0) {
    try {
      say({ kind: 'appended', first, outcomes: flattenOutcomes(log.append(all)), head: log.head() })
      checkpoints.written(log.db)
      signal.grown()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      say({ kind: 'failed', first, count: all.length, message, disk: isDiskTrouble(error) })
      // Whether the group is on the disk is not known, and asking again would not tell.
      if (isFsyncFailure(error)) say({ kind: 'fatal', message: `the disk refused an fsync: ${message}` })
    }
  }
  if (closing) void close()
}

const close = async () => {
  signal.close()
  await follower.stop()
  await checkpoints.stop()
  await store.close()
  log.close()
  say({ kind: 'closed' })
  parentPort!.close()
}

parentPort!.on('message', (message: ToEngine) => {
  if (message.kind === 'append') pending.push(message)
  else closing = true
  if (pending.length + Number(closing) === 1) setImmediate(flush)
})

say({ kind: 'open', readModelPath: modelsPath, head: log.head() })
const follower = await followEvents({
  events: { subscribe: (after) => subscription({ after, readAll: log.readAll, signal }) },
  store,
  projections: [recordsProjection(definitions), searchProjection(definitions)],
  onStatus: report,
  onTrouble: (message, error) =>
    say({ kind: 'trouble', message, detail: error instanceof Error ? error.message : String(error) }),
})
