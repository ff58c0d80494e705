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
import type { FromEngine, ToEngine } from '../../adapters/sqlite/events/engine-messages.ts'
import { groupCommits } from '../../adapters/sqlite/events/group-commits.ts'
import { openEvents } from '../../adapters/sqlite/events/open-events.ts'
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

const log = eventStoreUrl === undefined ? openEvents(dataDir) : undefined
const signal = logSignal()
const checkpoints = new Checkpoints({
  onFsyncFailure: (path) => say({ kind: 'fatal', message: `the disk refused an fsync of ${path}` }),
})
if (log) checkpoints.watch({ db: log.db, path: join(dataDir, 'events.db'), grown: 4_000 })

const commits = log && groupCommits({ log, checkpoints, grown: signal.grown, say })

const source: EventSource = log
  ? {
      read: async (company, stream, after = 0) => log.read(company, stream, after),
      subscribe: (after) => subscription({ after, read: log.readRecords, signal }),
      head: async () => log.head(),
      close: async () => {},
    }
  : await openSource({ dataDir, eventStoreUrl }, 'records')
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
  await commits?.end()
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
  if (message.kind === 'append') return commits?.add(message)
  void close()
})

say({ kind: 'open', readModelPath: models?.path ?? '', head: log?.head() ?? 0 })
await models?.start()
