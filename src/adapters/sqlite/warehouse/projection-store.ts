/**
 * The warehouses as their projection writes them: one SQLite file a company, in a folder that tools may read.
 *
 * Lives in a thread of its own (`compose/threads/warehouse.ts`): a batch may take long, and no write waits for it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Definitions } from '../../../domain/definition.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import {
  refuseGap,
  type LastEvent,
  type ProjectionStore,
  type Step,
} from '../../../ports/projection-store.ts'
import { asUnavailable, isFsyncFailure } from '../files/open.ts'
import { companyFiles, companyPath, removeFiles, removeFolder, type CompanyFiles } from './company-files.ts'
import { openStateFile, type StateFile } from './state-file.ts'

export interface WarehouseStore extends ProjectionStore<WarehouseOperation> {
  readonly catalogue: Catalogue
  /** The definitions have changed in a way that what is stored does not follow from: `rebuild` is needed. */
  readonly isOutdated: boolean
  /** The last event that it covers. */
  lastEvent(): LastEvent | undefined
  /** Makes the company's file when it is not there. */
  ensure(company: Company): void
  /** A second warehouse to be built beside this one. What an earlier try has left is removed. */
  beside(): Rebuilding
}

export interface Rebuilding {
  readonly store: ProjectionStore<WarehouseOperation>
  /** Puts what was built in place of what is there; false when that has come further by now. */
  swap(): boolean
  /** Removes what was built, if it was not put in place. */
  discard(): void
}

export interface WarehouseStoreOptions {
  readonly folder: string
  readonly definitions: Definitions
  /** Milliseconds since 1970: when a change of the schema is noted. */
  readonly now: () => number
  /** A disk refused an fsync: what it has of the file is not known any more. */
  readonly onFsyncFailure?: (message: string) => void
}

export const STATE = 'state.db'
const REBUILDING = 'rebuilding'

export function sqliteWarehouseStore({
  folder,
  definitions,
  now,
  onFsyncFailure = () => {},
}: WarehouseStoreOptions): WarehouseStore {
  removeFolder(join(folder, REBUILDING))
  mkdirSync(folder, { recursive: true })
  const state = openStateFile(join(folder, STATE))
  const known = state.catalogue()
  const at = timestampOf(now())
  const { catalogue, rebuild } = evolveCatalogue(known, definitions, { at, position: state.position() })
  if (rebuild) state.setOutdated(true)
  if (JSON.stringify(known) !== JSON.stringify(catalogue)) state.setCatalogue(catalogue)
  if (!known) removeFiles(folder) // of another layout: they are rebuilt
  const files = companyFiles(folder, catalogue)

  // What a power cut took, or a hand, comes back: from the earliest place that a file has not got beyond.
  const behind = [...state.companies()].flatMap(([company, position]) => {
    const there = files.has(company) ? files.of(company).position() : 0
    return there < position ? [there] : []
  })
  if (behind.length > 0) state.startFrom(Math.min(state.position(), ...behind))

  return {
    ...storeOf(files, state, onFsyncFailure),
    catalogue,
    isOutdated: state.isOutdated(),
    lastEvent: state.last,
    ensure: (company) => void files.of(company),
    beside() {
      const scratch = join(folder, REBUILDING)
      removeFolder(scratch)
      const built = companyFiles(scratch, catalogue)
      const builtState = openStateFile(join(scratch, STATE))
      let isClosed = false
      const close = () => {
        if (isClosed) return
        isClosed = true
        built.close()
        builtState.close()
      }
      return {
        store: storeOf(built, builtState, onFsyncFailure),
        swap() {
          const companies = builtState.companies()
          const position = builtState.position()
          const last = builtState.last()
          if (position < state.position()) return false
          close()
          for (const company of companies.keys()) files.of(company).takeOver(companyPath(scratch, company))
          state.move(position, companies, last)
          state.setOutdated(false)
          removeFolder(scratch)
          return true
        },
        discard() {
          close()
          removeFolder(scratch)
        },
      }
    },
    async close() {
      files.close()
      state.close()
    },
  }
}

function storeOf(
  files: CompanyFiles,
  state: StateFile,
  onFsyncFailure: (message: string) => void,
): ProjectionStore<WarehouseOperation> {
  const applyAll = (steps: readonly Step<WarehouseOperation>[]) => {
    const positions = new Map<Company, Position>()
    // All operations of one event are one company's.
    const ofCompany = Map.groupBy(steps, ({ operations }) => operations[0]!.company)
    for (const [company, own] of ofCompany) {
      const file = files.of(company)
      file.apply(own)
      positions.set(company, file.position())
    }
    return positions
  }
  return {
    position: async () => state.position(),
    async apply(work, upTo, last) {
      try {
        const from = state.position()
        if (from >= upTo) return
        for (const one of work) refuseGap(one, from)
        const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > from)
        state.move(upTo, applyAll(steps), last)
      } catch (error) {
        if (isFsyncFailure(error)) onFsyncFailure((error as Error).message)
        throw asUnavailable(error)
      }
    },
    settled: async () => {},
    async close() {},
  }
}
