/**
 * The thread that answers as-of lists: it replays events, up to the moment asked for, into scratch files, and looks there.
 *
 * The composition root of that thread, as `compose/threads/engine.ts` is of the engine's. Started by the first question.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { buildReadModels } from '../../adapters/sqlite/read-models/build-read-models.ts'
import { scratchFolder } from '../../adapters/sqlite/past/scratch-folder.ts'
import { cuts, type CutLimits } from '../../adapters/sqlite/past/cuts.ts'
import { eventRanges } from '../../adapters/sqlite/events/event-range.ts'
import { isDiskTrouble, openForBuilding } from '../../adapters/sqlite/files/open.ts'
import type { FromPast, ToPast } from '../../adapters/sqlite/past/past-lists.ts'
import { sqliteProjectionStore } from '../../adapters/sqlite/read-models/projection-store.ts'
import { LATE, openReadModelFile } from '../../adapters/sqlite/read-models/read-model-file.ts'
import { readPage } from '../../adapters/sqlite/read-models/queries/read-page.ts'
import { lookedUpFrom, type ObjectDefinition } from '../../domain/definition.ts'
import { Invalid } from '../../domain/errors.ts'
import type { EventRanges, Range } from '../../ports/journal.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import { workOf } from '../../projections/projection.ts'
import { readModelProjections } from '../../projections/read-model-projections.ts'

/** Where the journal is: with the events of a file, or in MongoDB. */
export type JournalPlace = { readonly path: string } | { readonly mongoUrl: string }

export interface PastData {
  readonly journal: JournalPlace
  /** Scratch files are made in here. */
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
  readonly limits: CutLimits
}

const { journal, folder: parent, definitions: list, limits } = workerData as PastData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const QUERY_LIMIT_MS = 2_000
const BATCH = 1_000

const { folder, letGo } = scratchFolder(parent)

/** The driver is loaded only here. */
async function mongoRanges(url: string): Promise<EventRanges> {
  return (await import('../../adapters/mongodb/journal/journal.ts')).mongoEventRanges({
    url,
    // Who asks here has asked the journal itself before.
    isInLog: async () => true,
  })
}

const of = (objects: readonly string[]) =>
  new Map(objects.map((object) => [object, definitions.get(object)!]))

const tell = async (file: string, range: Range) => {
  const own = of(range.objects)
  const projections = readModelProjections(own)
  const tellTo = async (store: Pick<ProjectionStore, 'apply'>) => {
    for await (const events of ranges.batches(range, BATCH)) {
      await store.apply(workOf(projections, events), events.at(-1)!.position)
      await breathe()
    }
  }
  if (range.after === 0) {
    const build = buildReadModels({ path: file, definitions: own, scratch: true })
    try {
      await tellTo(build)
      await build.finish()
    } catch (error) {
      await build.abandon()
      throw error
    }
  }
  const store = sqliteProjectionStore({ db: openForBuilding(file), definitions: own })
  try {
    if (range.after > 0) await tellTo(store)
    await store.settled()
  } finally {
    await store.close()
  }
}

let deadline = 0
const ranges = 'path' in journal ? eventRanges(journal.path) : await mongoRanges(journal.mongoUrl)
const kept = cuts({
  folder,
  events: ranges,
  limits,
  tell,
  open: (file) => openReadModelFile(file, () => performance.now() < deadline),
})

const answer = async ({ id, company, query, position }: Extract<ToPast, { kind: 'list' }>) => {
  const say = (message: FromPast) => parentPort!.postMessage(message)
  try {
    const objects = lookedUpFrom(definitions, query.object)
    const file = await kept.at({ company, objects, upTo: position })
    deadline = performance.now() + QUERY_LIMIT_MS
    const page = file ? readPage(file, of(objects), company, query) : { records: [], total: 0 }
    say({ id, page })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof Invalid) say({ id, invalid: message, faults: error.faults })
    else if (message.includes(LATE)) say({ id, late: QUERY_LIMIT_MS })
    else if (isDiskTrouble(error) || hasNoRoom(error)) say({ id, unavailable: message })
    else say({ id, error: message })
  }
}

/** Of a scratch file that cannot be made: no blocks, inodes or handles are left. */
function hasNoRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'].includes(code)
}

parentPort!.on('message', (message: ToPast) => {
  if (message.kind === 'list') return void answer(message)
  void kept.close().finally(() => {
    letGo()
    rmSync(folder, { recursive: true, force: true })
    parentPort!.close()
  })
})
