/** Imports put together: where files are kept, the thread that reads them, who works on what. */
import { join } from 'node:path'
import type { Log } from '../../ports/log.ts'
import { pace } from '../../api/http/limits/pace.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { ActorAccess } from '../../identity/actor-access.ts'
import { contentClaims } from '../../imports/content-claims.ts'
import { importsOf, type Imports } from '../../imports/imports.ts'
import { importUpkeep } from '../../imports/upkeep.ts'
import { chunkLog } from '../../imports/run/chunk-events.ts'
import { importRunner } from '../../imports/runner.ts'
import { NO_SIGNS, signsOfLife } from '../../imports/signs-of-life.ts'
import { dueSchedules } from '../../imports/schedules/due-schedules.ts'
import type { PickUpOptions } from '../../imports/schedules/pick-up.ts'
import type { Sealing } from '../../imports/schedules/sftp-login.ts'
import type { ImportWork } from '../../imports/work.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CompanyKeys } from '../../identity/secrets/company-keys.ts'
import { scratchIn } from '../../imports/staging/scratch.ts'
import { stageInThread } from '../../imports/staging/stage-in-thread.ts'
import type { Stores } from '../stores.ts'
import { withSchedules, type ScheduleAccessOptions } from '../../imports/schedules/schedule-access.ts'
import { sourcesOf } from './import-schedules.ts'
import type { WriteSide } from './write-side.ts'
import type { TimerRule } from '../../timers/rule.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Follower } from '../../timers/start-timers.ts'
import { debtsProjection, followDebts } from '../../imports/bank/run/follow-debts.ts'

export interface ImportsOptions {
  readonly config: Config
  /** Of the objects that are served. */
  readonly definitions: Definitions
  readonly stores: Pick<Stores, 'events' | 'readModels' | 'files' | 'onlyWriter'>
  readonly writeSide: WriteSide
  readonly keys: Pick<CompanyKeys, 'nameOf'>
  readonly sealer: Sealing
  readonly accessOf: ActorAccess
  readonly roleAccess: ScheduleAccessOptions['roleAccess']
  readonly clock: Clock
  readonly log: Log
  /** From a change of what is owed until open lines of banks are matched again. */
  readonly matchAgainMs?: number | undefined
}

export interface OpenImports {
  readonly imports: Imports
  readonly work: ImportWork
  readonly sourceOf: PickUpOptions['sourceOf']
  /** When schedules run. */
  readonly schedules: readonly TimerRule[]
  /** What follows the events. */
  followers(timers: Timers): readonly Follower[]
  /** Takes over what a process has left, now and from time to time. */
  start(): void
}

const READING = 'reading'

/** @param closing what is opened is closed with it */
export async function openImports(
  options: ImportsOptions,
  closing: AsyncDisposableStack,
): Promise<OpenImports> {
  const { config, definitions, stores, writeSide, keys, clock, log } = options
  const { events, readModels, files } = stores
  const { states, write, claims, identifiers } = writeSide
  const scratch = scratchIn(join(config.DATA_DIR, READING))
  const limits = {
    bytes: config.IMPORT_MAX_BYTES,
    inflated: config.IMPORT_MAX_INFLATED,
    rows: config.IMPORT_MAX_ROWS,
  }
  const work: ImportWork = {
    definitions,
    events,
    readModels,
    files,
    write,
    load: states.load,
    ownerOf: claims.ownerOf,
    claims: contentClaims({
      events,
      clock,
      nameOf: keys.nameOf,
      isThere: async (company, key) => (await states.load(company, key)).status !== 'absent',
    }),
    chunks: chunkLog(events, clock.now),
    signs: stores.onlyWriter ? NO_SIGNS : signsOfLife({ events, clock, newCommand: identifiers.newCommand }),
    clock,
    newCommand: identifiers.newCommand,
    accessOf: withSchedules({ ...options, load: states.load }),
    stage: (job) => stageInThread({ ...job, limits }),
    scratch: scratch.make,
    maxBytes: config.IMPORT_MAX_BYTES,
    pace,
    turns: keyedLocks(),
    onTrouble: (message, error) => log.warn({ err: error }, message),
  }
  const runner = importRunner(work, config.IMPORTS_AT_ONCE)
  const upkeep = importUpkeep({
    work,
    runner,
    isAlone: stores.onlyWriter,
    keepDays: config.IMPORT_KEEP_FILES_DAYS,
  })
  closing.defer(async () => {
    upkeep.stop()
    await runner.stop()
  })
  const imports = importsOf(work, runner)
  const sourceOf = sourcesOf(config, options.sealer)
  const schedules = dueSchedules({ work, imports, sourceOf })
  closing.defer(() => schedules.stop())
  const followers: OpenImports['followers'] = (timers) => {
    const store = followDebts({ work, timers, onTrouble: work.onTrouble, afterMs: options.matchAgainMs })
    closing.defer(() => store.stop())
    return [{ store, projections: [debtsProjection] }]
  }
  return { imports, work, sourceOf, schedules: schedules.rules, followers, start: upkeep.start }
}
