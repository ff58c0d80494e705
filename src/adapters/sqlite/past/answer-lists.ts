/** Answers as-of lists: it replays events, up to the moment asked for, into scratch files, and looks there. */
import { rmSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { lookedUpFrom, type Definitions } from '../../../domain/definition.ts'
import { Invalid, messageOf } from '../../../domain/errors.ts'
import type { EventRanges, Range } from '../../../ports/journal.ts'
import type { ProjectionStore } from '../../../ports/projection-store.ts'
import { workOf } from '../../../projections/projection.ts'
import { readModelProjections } from '../../../projections/read-model-projections.ts'
import { isDiskTrouble, openForBuilding } from '../files/open.ts'
import { buildReadModels } from '../read-models/build-read-models.ts'
import { sqliteProjectionStore } from '../read-models/projection-store.ts'
import { readPage } from '../read-models/queries/read-page.ts'
import { LATE, openReadModelFile } from '../read-models/read-model-file.ts'
import { cuts, type CutLimits } from './cuts.ts'
import type { FromPast, ToPast } from './past-lists.ts'
import { scratchFolder } from './scratch-folder.ts'

export interface AnswerListsOptions {
  readonly events: EventRanges
  /** Scratch files are made in here. */
  readonly folder: string
  readonly definitions: Definitions
  readonly limits: CutLimits
}

const QUERY_LIMIT_MS = 2_000
const BATCH = 1_000

export function answerLists({ events, folder: parent, definitions, limits }: AnswerListsOptions) {
  const { folder, letGo } = scratchFolder(parent)
  const of = (objects: readonly string[]) =>
    new Map(objects.map((object) => [object, definitions.get(object)!]))
  let deadline = 0
  const kept = cuts({
    folder,
    events,
    limits,
    tell: (file, range) => tell({ events, file, range, definitions: of(range.objects) }),
    open: (file) => openReadModelFile(file, () => performance.now() < deadline),
  })

  const answer = async ({
    id,
    company,
    query,
    position,
  }: Extract<ToPast, { kind: 'list' }>): Promise<FromPast> => {
    try {
      const objects = lookedUpFrom(definitions, query.object)
      const file = await kept.at({ company, objects, upTo: position })
      deadline = performance.now() + QUERY_LIMIT_MS
      return { id, page: file ? readPage(file, of(objects), company, query) : { records: [], total: 0 } }
    } catch (error) {
      const message = messageOf(error)
      if (error instanceof Invalid) return { id, invalid: message, faults: error.faults }
      if (message.includes(LATE)) return { id, late: QUERY_LIMIT_MS }
      if (isDiskTrouble(error) || hasNoRoom(error)) return { id, unavailable: message }
      return { id, error: message }
    }
  }
  return {
    answer,
    close: () =>
      kept.close().finally(() => {
        letGo()
        rmSync(folder, { recursive: true, force: true })
      }),
  }
}

interface Telling {
  readonly events: EventRanges
  readonly file: string
  readonly range: Range
  readonly definitions: Definitions
}

async function tell({ events, file, range, definitions }: Telling): Promise<void> {
  const projections = readModelProjections(definitions)
  const tellTo = async (store: Pick<ProjectionStore, 'apply'>) => {
    for await (const some of events.batches(range, BATCH)) {
      await store.apply(workOf(projections, some), some.at(-1)!.position)
      await breathe()
    }
  }
  if (range.after === 0) {
    const build = buildReadModels({ path: file, definitions, scratch: true })
    try {
      await tellTo(build)
      await build.finish()
    } catch (error) {
      await build.abandon()
      throw error
    }
  }
  const store = sqliteProjectionStore({ db: openForBuilding(file), definitions })
  try {
    if (range.after > 0) await tellTo(store)
    await store.settled()
  } finally {
    await store.close()
  }
}

/** Of a scratch file that cannot be made: no blocks, inodes or handles are left. */
function hasNoRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'].includes(code)
}
