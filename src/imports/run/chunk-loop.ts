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

/** Chunks that are under way at a time: one is stored while the rows of the next are judged. */
const AT_ONCE = 2
/** Those may have been begun before a crash, and the one that was being recorded. */
const IN_DOUBT = AT_ONCE + 1
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
   * @param sent to be called when all its rows are with the store: another chunk may be begun
   * @throws Unavailable when the stores are away: it is then run again
   */
  readonly run: (chunk: number, isFirst: boolean, sent: () => void) => Promise<readonly RowResult[]>
  /** Whether a chunk may be begun before the one before it is done: its rows need nothing of that. */
  readonly overlaps?: boolean
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

type ChunkWork = Pick<ImportWork, 'chunks' | 'load' | 'newCommand' | 'onTrouble'>

interface Begun {
  readonly results: Promise<readonly RowResult[] | undefined>
  /** All its rows are with the store, or it is over. */
  readonly sent: Promise<unknown>
  /** It was done by an earlier run. */
  readonly before: boolean
}

/** Undefined: it is not over, and goes on elsewhere or later. */
export async function runChunks(
  work: ChunkWork,
  whole: Import,
  loop: ChunkLoop,
): Promise<ChunksRun | undefined> {
  const { key } = whole
  const { number, progress, waits = () => false } = loop
  const chunks = begunInOrder(work, whole, loop)
  let counts = NO_COUNTS
  let waiting = 0
  let ending: Ending
  /** The chunk before is recorded while this one is run. */
  let recording: Promise<unknown> = Promise.resolve()
  try {
    for (let chunk = 0; ; chunk++) {
      const begun = await chunks.next(ending === undefined)
      if (!begun) break
      const results = await begun.results
      if (!results) return undefined
      if (!begun.before) {
        // In their order: what is recorded has no gaps.
        await recording
        const recorded = work.chunks.record(callerOf(work, whole), key, number, chunk, results)
        recording = recorded
        recorded.catch(() => {})
      }
      counts = addCounts(counts, note(progress, key, results, begun.before))
      waiting += results.filter(waits).length
      if (!begun.before) ending ??= endingOf(whole, counts.Failed - waiting)
    }
    await recording
  } finally {
    await chunks.settled()
  }
  if (chunks.left() === 'elsewhere') return undefined
  return { ending: ending ?? (chunks.left() === 'cancelled' ? 'cancelled' : undefined), counts, waiting }
}

/** The chunks in their order, begun a little ahead. `left`: why not all of them were begun. */
function begunInOrder(work: ChunkWork, { company, key }: Import, loop: ChunkLoop) {
  const { number, count, signal, overlaps = false } = loop
  const ahead: Begun[] = []
  let [next, missing] = [0, 0]
  let left: 'cancelled' | 'elsewhere' | undefined

  const begin = async (): Promise<void> => {
    const done = await work.chunks.read(company, key, number, next)
    if (!done) {
      if (signal.aborted) return void (left = 'elsewhere')
      const now = await loadImport(work, company, key)
      if (now?.state !== 'Running') return void (left = 'elsewhere')
      if (now.isCancelling) return void (left = 'cancelled')
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const isFirst = !done && missing++ >= IN_DOUBT && number === 0
    const results = done ? Promise.resolve(done) : runUntilDone(work, key, loop, next, isFirst, resolve)
    results.catch(() => {})
    next++
    ahead.push({ results, sent: Promise.race([promise, results]).catch(() => {}), before: !!done })
  }
  return {
    /** @param more whether others are begun */
    async next(more: boolean): Promise<Begun | undefined> {
      const most = overlaps ? AT_ONCE : 1
      while (more && left === undefined && next < count && ahead.length < most) {
        await ahead.at(-1)?.sent
        await begin()
      }
      return ahead.shift()
    },
    left: () => left,
    /** Nothing is written any more. */
    settled: () => Promise.allSettled(ahead.map(({ results }) => results)),
  }
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
  work: ChunkWork,
  key: string,
  { run, progress, signal }: ChunkLoop,
  chunk: number,
  isFirst: boolean,
  sent: () => void,
): Promise<readonly RowResult[] | undefined> {
  let first = isFirst
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(LONGEST_WAIT_MS, wait * 2))
    try {
      const results = await run(chunk, first, sent)
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
