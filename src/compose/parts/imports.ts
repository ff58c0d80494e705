/** Imports put together: where files are kept, the thread that reads them, who works on what. */
import { mkdtemp } from 'node:fs/promises'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../ports/log.ts'
import { pace } from '../../api/http/limits/pace.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { ActorAccess } from '../../identity/actor-access.ts'
import { contentClaims } from '../../imports/content-claims.ts'
import { FileRefused } from '../../imports/formats/reader.ts'
import { importsOf, type Imports } from '../../imports/imports.ts'
import { companiesIn, leftImports } from '../../imports/left-imports.ts'
import { chunkLog } from '../../imports/run/chunk-events.ts'
import { removeOldFiles } from '../../imports/old-files.ts'
import { importRunner } from '../../imports/runner.ts'
import { NO_SIGNS, signsOfLife } from '../../imports/signs-of-life.ts'
import { dueSchedules } from '../../imports/schedules/due-schedules.ts'
import type { PickUpOptions } from '../../imports/schedules/pick-up.ts'
import type { Sealing } from '../../imports/schedules/sftp-login.ts'
import type { StagedFile, StageFile } from '../../imports/staging/staged-file.ts'
import type { ImportWork } from '../../imports/work.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CompanyKeys } from '../../identity/secrets/company-keys.ts'
import type { FromImportReader } from '../threads/import-reader.ts'
import type { Stores } from '../stores.ts'
import { sourcesOf, withSchedules, type ScheduleAccessOptions } from './import-schedules.ts'
import type { WriteSide } from './write-side.ts'
import type { TimerRule } from '../../timers/rule.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Follower } from './timers.ts'
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
/** What a reader may take; a file that needs more is refused. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }
const LOOK_AGAIN_MS = 30_000
const DAY_MS = 86_400_000
const CLEAN_MS = DAY_MS / 4

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
  const left = leftImports({ work, runner, isAlone: stores.onlyWriter })
  let timer: NodeJS.Timeout | undefined
  const lookLater = () => {
    timer = setTimeout(() => void lookNow(), LOOK_AGAIN_MS).unref()
  }
  const lookNow = async () => {
    await left
      .look()
      .catch((error: unknown) => log.warn({ err: error }, 'imports that were left cannot be looked for'))
    await removeOld().catch((error: unknown) =>
      log.warn({ err: error }, 'old files of imports cannot be removed'),
    )
    lookLater()
  }
  let cleaned = -Infinity
  const removeOld = async () => {
    if (clock.elapsed() - cleaned < CLEAN_MS) return
    cleaned = clock.elapsed()
    const before = clock.now() - config.IMPORT_KEEP_FILES_DAYS * DAY_MS
    for await (const company of companiesIn(work)) await removeOldFiles(work, company, before)
  }
  closing.defer(async () => {
    clearTimeout(timer)
    await runner.stop()
    clearTimeout(timer)
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
  return { imports, work, sourceOf, schedules: schedules.rules, followers, start: () => void lookNow() }
}

/** Folders for what is being read. What a process that died has left is removed with the next use. */
function scratchIn(folder: string) {
  let isClean = false
  const own = `${process.pid}-`
  const clean = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder))
      if (!existsSync(`/proc/${name.split('-')[0]}`) || name.startsWith(own))
        rmSync(join(folder, name), { recursive: true, force: true })
    isClean = true
  }
  return {
    async make() {
      if (!isClean) clean()
      return mkdtemp(join(folder, own))
    },
  }
}

function stageInThread(job: StageFile): Promise<StagedFile> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../threads/import-reader.ts', import.meta.url), {
      name: 'import-reader',
      workerData: job,
      resourceLimits: MEMORY,
    })
    worker.once('message', (message: FromImportReader) => {
      if (message.kind === 'staged') resolve(message.file)
      else if (message.kind === 'refused') reject(new FileRefused(message.code, message.message))
      else reject(new Error(message.message))
    })
    worker.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new FileRefused(
              'too-large',
              'The file takes more memory to read than an import may have: import it in parts.',
            )
          : error,
      ),
    )
    worker.once('exit', () => reject(new Unavailable('the thread that read the file has ended')))
  })
}
