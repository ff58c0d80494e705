/**
 * Step 3 of an import: rows become records, chunk by chunk. A chunk whose stream is there is done; one that is not is run, also
 * when that was begun before: what its rows have done is recognized by the ids of their commands (docs/decisions/chunk-streams.md).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Forbidden, Unavailable } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { Counts, Import } from '../import.ts'
import { NO_COUNTS } from '../import.ts'
import type { StagedRow, StagedRows } from '../staging/staged-rows.ts'
import { CHUNK_ROWS } from '../staging/staged-rows.ts'
import { callerOf, changeImport, loadImport, releaseContent, type ImportWork } from '../work.ts'
import { readReport } from './check-report.ts'
import { openRun, type Run } from './chunk-runner.ts'
import { addCounts, countsOf, type RowResult } from './outcomes.ts'
import type { Progress } from './progress.ts'
import { allResults } from './results.ts'
import { runRows } from './run-rows.ts'

/** A chunk that was under way at a crash, and the one after it, may have been begun. */
const IN_DOUBT = 2
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000

/** Why a commit ends before its last row. */
type Ending = 'cancelled' | 'stopped' | 'errors' | undefined

/** @param signal the process is stopping: what is left is done by the next */
export async function commitStep(
  work: ImportWork,
  whole: Import,
  progress: Progress,
  signal: AbortSignal,
): Promise<Import | undefined> {
  const { company, key } = whole
  const duplicates = new Set((await readReport(work.files, company, whole.check?.Report ?? '')).duplicates)
  const run = await openRun(work, whole, { isDuplicate: (row) => duplicates.has(row) })
  const number = whole.runs - 1
  const chunks = number === 0 ? ofFile(run.staged) : await ofRetry(work, whole, run.staged)
  progress.begin(key, 'commit', number === 0 ? whole.read!.Rows : chunks.rows)
  let counts = NO_COUNTS
  let undone = 0
  let ending: Ending
  /** The chunk before is recorded while this one is run. */
  let recording: Promise<unknown> = Promise.resolve()
  for (let chunk = 0; chunk < chunks.count && ending === undefined; chunk++) {
    const done = await work.chunks.read(company, key, number, chunk)
    if (done) {
      counts = addCounts(counts, note(progress, key, done, true))
      continue
    }
    if (signal.aborted) return undefined
    const now = await loadImport(work, company, key)
    if (now?.state !== 'Running') return undefined
    if (now.isCancelling) {
      ending = 'cancelled'
      break
    }
    const rows = await chunks.read(chunk)
    const results = await runUntilDone(work, run, rows, undone++ >= IN_DOUBT && number === 0, {
      progress,
      key,
      signal,
    })
    if (!results) return undefined
    await recording
    const recorded = work.chunks.record(callerOf(work, whole), key, number, chunk, results)
    recording = recorded
    recorded.catch(() => {})
    counts = addCounts(counts, note(progress, key, results, false))
    ending = endingOf(whole, counts)
  }
  await recording
  return finish(work, whole, ending)
}

function note(progress: Progress, key: string, results: readonly RowResult[], before: boolean): Counts {
  const counts = countsOf(results)
  progress.add(key, counts, before)
  return counts
}

function endingOf({ options: { OnError, MaxErrors } }: Import, { Failed }: Counts): Ending {
  if (OnError === 'stop' && Failed > 0) return 'stopped'
  return MaxErrors !== null && Failed > MaxErrors ? 'errors' : undefined
}

const REASONS = {
  cancelled: 'it was cancelled; rows that were done stay',
  stopped: 'a row was refused, and it was to stop then',
  errors: 'more rows were refused than MaxErrors allows',
}

async function finish(work: ImportWork, before: Import, ending: Ending): Promise<Import | undefined> {
  const whole = await loadImport(work, before.company, before.key)
  if (whole?.state !== 'Running') return undefined
  let counts = NO_COUNTS
  for await (const result of allResults(work.chunks, whole)) counts = addCounts(counts, countsOf([result]))
  const State =
    ending === 'cancelled'
      ? 'Cancelled'
      : counts.Failed > 0 || ending !== undefined
        ? 'CompletedWithErrors'
        : 'Completed'
  const changed = await changeImport(work, whole, {
    State,
    Counts: counts as unknown as Json,
    Reason: ending ? REASONS[ending] : null,
    IsCancelling: null,
  })
  if (ending === 'cancelled' && counts.Created + counts.Updated === 0) await releaseContent(work, whole)
  return changed
}

/** Waits while the store is away. Undefined: the process is stopping. */
async function runUntilDone(
  work: ImportWork,
  run: Run,
  rows: readonly StagedRow[],
  isFirst: boolean,
  {
    progress,
    key,
    signal,
  }: { readonly progress: Progress; readonly key: string; readonly signal: AbortSignal },
): Promise<readonly RowResult[] | undefined> {
  let first = isFirst
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(LONGEST_WAIT_MS, wait * 2))
    try {
      const results = await runRows(run.options, rows, await run.as(first))
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

interface Chunks {
  readonly count: number
  readonly rows: number
  read(chunk: number): Promise<readonly StagedRow[]>
}

const ofFile = (staged: StagedRows): Chunks => ({
  count: staged.chunks,
  rows: 0,
  read: (chunk) => staged.chunk(chunk),
})

/** The rows that were refused in the runs before. */
async function ofRetry(work: ImportWork, whole: Import, staged: StagedRows): Promise<Chunks> {
  /** By row: the chunk of the file that it is in. */
  const refused: { readonly row: number; readonly chunk: number }[] = []
  let place = 0
  for await (const { row, outcome } of allResults(work.chunks, whole, whole.runs - 1)) {
    if (outcome === 'Failed') refused.push({ row, chunk: Math.floor(place / CHUNK_ROWS) })
    place++
  }
  return {
    count: Math.ceil(refused.length / CHUNK_ROWS),
    rows: refused.length,
    async read(chunk) {
      const wanted = refused.slice(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS)
      const rows: StagedRow[] = []
      for (const from of new Set(wanted.map((one) => one.chunk))) {
        const numbers = new Set(wanted.filter((one) => one.chunk === from).map(({ row }) => row))
        rows.push(...(await staged.chunk(from)).filter(({ number }) => numbers.has(number)))
      }
      return rows
    },
  }
}
