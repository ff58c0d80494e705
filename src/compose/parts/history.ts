/** What looks back, put together: histories, the audit, feeds of changes, reads as of a moment. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Router } from 'express'
import type { CutLimits } from '../../adapters/sqlite/past/cuts.ts'
import { sqlitePastLists } from '../../adapters/sqlite/past/past-lists.ts'
import { actorNames } from '../../api/records/actors.ts'
import type { Area } from '../../api/area.ts'
import { asOfReads, type AsOf } from '../../api/records/as-of.ts'
import { auditArea } from '../../api/history/audit.ts'
import { changesRoutes } from '../../api/history/changes.ts'
import type { ExportTurns } from '../../api/warehouse/export-turns.ts'
import type { PositionTokens } from '../../api/http/position-tokens.ts'
import { historyRoutes } from '../../api/history/history.ts'
import type { Identifiers } from '../../commands/support/identifiers.ts'
import { noteAudit } from '../../commands/note-audit.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { PastData } from '../threads/past.ts'
import type { Stores } from '../stores.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Clock } from '../../ports/clock.ts'

export interface LookingBackOptions {
  /** The objects that are served. */
  readonly definitions: Definitions
  /** Those that the service keeps for itself, too. */
  readonly all: Definitions
  readonly stores: Stores
  readonly dataDir: string
  readonly states: RecordStates
  readonly identifiers: Identifiers
  readonly clock: Clock
  readonly turns: ExportTurns
  readonly positions: PositionTokens
  /** How long reads may lag behind what is asked for, in ms. */
  readonly readLagMs: number
}

export interface LookingBack {
  readonly areas: readonly Area[]
  /** Routes below those of records. */
  readonly routes: readonly Router[]
  readonly asOf: AsOf
  close(): Promise<void>
}

/** Scratch files of as-of lists; see `adapters/sqlite/past/cuts.ts`. */
const LIMITS: CutLimits = { most: 8, mostBytes: 2_000_000_000, mostEvents: 2_000_000 }
/** What a build makes is garbage at once: without a limit V8 lets hundreds of megabytes of it lie. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

export function lookingBack(options: LookingBackOptions): LookingBack {
  const { definitions, all, stores, dataDir, states, identifiers, clock, turns } = options
  const { positions, readLagMs } = options
  const { events, readModels, journal } = stores
  const actorName = actorNames(states)
  const note = noteAudit({ events, identifiers, clock })
  const data: PastData = {
    journal: stores.journalPlace,
    folder: join(dataDir, 'past'),
    definitions: [...all.values()],
    limits: LIMITS,
  }
  const lists = sqlitePastLists({
    start: () =>
      new Worker(new URL('../threads/past.ts', import.meta.url), {
        name: 'past',
        workerData: data,
        resourceLimits: MEMORY,
      }),
  })
  return {
    areas: [auditArea({ definitions: all, journal, readModels, note, actorName, turns })],
    routes: [
      historyRoutes({ definitions, readModels, events, actorName }),
      changesRoutes({ definitions, readModels, events, journal, positions, readLagMs }),
    ],
    asOf: asOfReads({ definitions: all, events, journal, lists, positions }),
    close: lists.close,
  }
}
