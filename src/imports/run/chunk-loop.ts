/**
 * The chunks of an import, one after the other, however often the process ends: one whose stream is there is done, one that is not is
 * run, also when that was begun before (docs/decisions/chunk-streams.md).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Forbidden, Unavailable } from '../../domain/errors.ts'
import { NO_COUNTS, type Counts, type Import } from '../import.ts'
import { callerOf, loadImport, type ImportWork } from '../work.ts'
import { addCounts, countsOf, type RowResult } from './outcomes.ts'
import type { Progress } from './progress.ts'

/** A chunk that was under way at a crash, and the one after it, may have been begun. */
const IN_DOUBT = 2
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000

/** Why it ends before its last row. */
export type Ending = 'cancelled' | 'stopped' | 'errors' | undefined

export interface ChunkLoop {
  /** 0 for the commit, then one for each retry. */
  readonly number: number
  readonly count: number
  /**
   * @param isFirst no earlier run can have done any of it
   * @throws Unavailable when the stores are away: it is then run again
   */
  readonly run: (chunk: number, isFirst: boolean) => Promise<readonly RowResult[]>
  /** Refused rows that another run may still write: they end nothing. */
  readonly waits?: (result: RowResult) => boolean
  readonly progress: Progress
  /** The process is stopping: what is left is done by the next. */
  readonly signal: AbortSignal
}

export interface ChunksRun {
  readonly ending: Ending
  readonly counts: Counts
  /** Rows that wait for others. */
  readonly waiting: number
}

/** Undefined: it is not over, and goes on elsewhere or later. */
export async function runChunks(
  work: ImportWork,
  whole: Import,
  loop: ChunkLoop,
): Promise<ChunksRun | undefined> {
  const { company, key } = whole
  const { number, progress, signal, waits = () => false } = loop
  let counts = NO_COUNTS
  let waiting = 0
  let missing = 0
  let ending: Ending
  /** The chunk before is recorded while this one is run. */
  let recording: Promise<unknown> = Promise.resolve()
  for (let chunk = 0; chunk < loop.count && ending === undefined; chunk++) {
    const done = await work.chunks.read(company, key, number, chunk)
    if (done) {
      counts = addCounts(counts, note(progress, key, done, true))
      waiting += done.filter(waits).length
      continue
    }
    if (signal.aborted) return undefined
    const now = await loadImport(work, company, key)
    if (now?.state !== 'Running') return undefined
    if (now.isCancelling) {
      ending = 'cancelled'
      break
    }
    const results = await runUntilDone(work, key, loop, chunk, missing++ >= IN_DOUBT && number === 0)
    if (!results) return undefined
    await recording
    const recorded = work.chunks.record(callerOf(work, whole), key, number, chunk, results)
    recording = recorded
    recorded.catch(() => {})
    counts = addCounts(counts, note(progress, key, results, false))
    waiting += results.filter(waits).length
    ending = endingOf(whole, counts.Failed - waiting)
  }
  await recording
  return { ending, counts, waiting }
}

function note(progress: Progress, key: string, results: readonly RowResult[], before: boolean): Counts {
  const counts = countsOf(results)
  progress.add(key, counts, before)
  return counts
}

function endingOf({ options: { OnError, MaxErrors } }: Import, failed: number): Ending {
  if (OnError === 'stop' && failed > 0) return 'stopped'
  return MaxErrors !== null && failed > MaxErrors ? 'errors' : undefined
}

export const REASONS: Readonly<Record<Exclude<Ending, undefined>, string>> = {
  cancelled: 'it was cancelled; rows that were done stay',
  stopped: 'a row was refused, and it was to stop then',
  errors: 'more rows were refused than MaxErrors allows',
}

/** Waits while the store is away. Undefined: the process is stopping. */
async function runUntilDone(
  work: ImportWork,
  key: string,
  { run, progress, signal }: ChunkLoop,
  chunk: number,
  isFirst: boolean,
): Promise<readonly RowResult[] | undefined> {
  let first = isFirst
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(LONGEST_WAIT_MS, wait * 2))
    try {
      const results = await run(chunk, first)
      progress.wait(key, null)
      return results
    } catch (error) {
      if (error instanceof Forbidden || !(error instanceof Unavailable)) throw error
      first = false
      progress.wait(key, 'the stores')
      work.onTrouble(`${key} waits for the stores`, error)
      await delay(wait, undefined, { signal }).catch(() => {})
    }
  return undefined
}
