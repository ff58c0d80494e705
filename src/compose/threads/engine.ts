/**
 * The engine thread: the one writer of the embedded files.
 *
 * The composition root of this thread, as `compose/start-service.ts` is of the process. It keeps the events, or the read models, or,
 * by default, both. Appends that wait share one commit; the projections follow in the same thread, so that no other has
 * to be asked on the way.
 */
import { join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { Checkpoints } from '../../adapters/sqlite/files/checkpoints.ts'
import {
  flattenOutcomes,
  unflatten,
  type FromEngine,
  type ToEngine,
} from '../../adapters/sqlite/events/engine-messages.ts'
import { openEventLog } from '../../adapters/sqlite/events/event-log.ts'
import { refuseMissingEvents } from '../../adapters/sqlite/files/missing-events.ts'
import { isDamage, isDiskTrouble, isFsyncFailure, naming } from '../../adapters/sqlite/files/open.ts'
import { logSignal, subscription } from '../../adapters/sqlite/events/subscription.ts'
import { keepReadModels } from '../../adapters/sqlite/read-models/keep-read-models.ts'
import type { RebuildData } from './rebuild.ts'
import { openSource, type EventSource, type SourceData } from '../source.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'

export interface EngineData extends SourceData {
  readonly definitions: readonly ObjectDefinition[]
  /** Whether read models are kept here. */
  readonly keepsReadModels: boolean
}

/** What a build makes is garbage at once: without a limit V8 lets hundreds of megabytes of it lie. */
const BUILDER_MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }

const { dataDir, definitions: list, eventStoreUrl, keepsReadModels } = workerData as EngineData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const say = (message: FromEngine) => parentPort!.postMessage(message)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const eventsPath = join(dataDir, 'events.db')
if (eventStoreUrl === undefined) refuseMissingEvents(dataDir)
const log = eventStoreUrl === undefined ? openEvents() : undefined
const signal = logSignal()
const checkpoints = new Checkpoints({
  onFsyncFailure: (path) => say({ kind: 'fatal', message: `the disk refused an fsync of ${path}` }),
})
if (log) checkpoints.watch({ db: log.db, path: eventsPath, grown: 4_000 })

/** @throws Error that names the file and what to do */
function openEvents() {
  try {
    return naming(eventsPath, () => openEventLog(eventsPath))
  } catch (error) {
    const advice = isDamage(error)
      ? 'Events cannot be rebuilt: restore a backup (docs/durability.md)'
      : 'Check that the service may read and write it, or restore a backup (docs/durability.md)'
    throw new Error(`${messageOf(error)}. ${advice}`, { cause: error })
  }
}

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
      // Whether the group is on the disk is not known, and asking again would not help.
      if (isFsyncFailure(error))
        say({ kind: 'fatal', message: `the disk refused an fsync: ${messageOf(error)}` })
      else if (isDiskTrouble(error)) checkpoints.makeRoom()
    }
  }
  if (closing) void close()
}

const source: EventSource = log
  ? {
      read: async (company, stream, after = 0) => log.read(company, stream, after),
      subscribe: (after) => subscription({ after, readAll: log.readAll, signal }),
      head: async () => log.head(),
      close: async () => {},
    }
  : await openSource({ dataDir, eventStoreUrl })
const builder = (path: string) =>
  new Worker(new URL('./rebuild.ts', import.meta.url), {
    name: 'rebuild',
    workerData: { dataDir, eventStoreUrl, definitions: list, path } satisfies RebuildData,
    resourceLimits: BUILDER_MEMORY,
  })
const models = keepsReadModels
  ? keepReadModels({ dataDir, definitions, source, builder, checkpoints, say })
  : undefined

const close = async () => {
  signal.close()
  await source.close()
  // Before the files are closed that it looks at.
  await checkpoints.stop()
  await models?.close()
  log?.close()
  say({ kind: 'closed' })
  parentPort!.close()
}

parentPort!.on('message', (message: ToEngine) => {
  if (message.kind === 'rebuild') return models?.rebuild()
  if (message.kind === 'resume') return models?.resume(message.projection)
  if (message.kind === 'released') return models?.released(message.readModelPath)
  if (message.kind === 'append') pending.push(message)
  else closing = true
  if (pending.length + Number(closing) === 1) setImmediate(flush)
})

say({ kind: 'open', readModelPath: models?.path ?? '', head: log?.head() ?? 0 })
await models?.start()
