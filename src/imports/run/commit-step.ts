/** Step 3 of an import: rows become records, chunk by chunk (`chunk-loop.ts`). What was begun before is recognized by the ids of its commands. */
import { completeStatements, createStatements } from '../bank/run/commit-statements.ts'
import type { Json } from '../../domain/json.ts'
import type { Import } from '../import.ts'
import { NO_COUNTS } from '../import.ts'
import type { StagedRow, StagedRows } from '../staging/staged-rows.ts'
import { CHUNK_ROWS } from '../staging/staged-rows.ts'
import { changeImport, loadImport, releaseContent, type ImportWork } from '../work.ts'
import { readReport } from './check-report.ts'
import { REASONS, runChunks, type Ending } from './chunk-loop.ts'
import { openRun } from './chunk-runner.ts'
import { addCounts, countsOf, isRefused, totalOf } from './outcomes.ts'
import { ownLookups } from './own-lookups.ts'
import type { Progress } from './progress.ts'
import { allResults } from './results.ts'
import { runRows } from './run-rows.ts'

/** @param signal the process is stopping: what is left is done by the next */
export async function commitStep(
  work: ImportWork,
  whole: Import,
  progress: Progress,
  signal: AbortSignal,
): Promise<Import | undefined> {
  const { company, key } = whole
  const { duplicates, failed } = await readReport(work.files, company, whole.check?.Report ?? '')
  const twins = new Map(failed.map((result) => [result.row, result.twins]))
  const run = await openRun(work, whole, {
    duplicateOf: (row) => duplicates.get(row),
    twinOf: (row, { field }) => twins.get(row)?.[field.name],
  })
  const number = whole.runs - 1
  const chunks = number === 0 ? ofFile(run.staged) : await ofRetry(work, whole, run.staged)
  progress.begin(key, 'commit', number === 0 ? whole.read!.Rows : chunks.rows)
  if (whole.kind === 'bank') await createStatements(work, whole)
  const ownRows = ownLookups(run.options)
  const ended = await runChunks(work, whole, {
    number,
    count: chunks.count,
    run: async (chunk, isFirst, sent) =>
      runRows(run.options, await chunks.read(chunk), await run.as(isFirst), sent),
    overlaps: !ownRows.areThere && needNotWait(whole),
    waits: ownRows.waits,
    progress,
    signal,
  })
  // Those that look up rows which were written after them are tried again, for as long as that brings more.
  if (
    ended?.ending === undefined &&
    ended &&
    ended.waiting > 0 &&
    ended.counts.Failed < totalOf(ended.counts)
  )
    return changeImport(work, (await loadImport(work, company, key))!, { Runs: whole.runs + 1 })
  if (ended && whole.kind === 'bank') await completeStatements(work, whole, ended.ending === undefined)
  return ended && finish(work, whole, ended.ending)
}

/** Rows with one key are to be written in their order, and some imports end with the chunk that has a refused row. */
const needNotWait = ({ kind, mapping, options }: Import): boolean =>
  kind === 'file' &&
  mapping?.DuplicatesInFile === 'error' &&
  options.OnError !== 'stop' &&
  options.MaxErrors === null

/** Says what its rows came to. Undefined: it is over already. */
export async function finish(work: ImportWork, before: Import, ending: Ending): Promise<Import | undefined> {
  const whole = await loadImport(work, before.company, before.key)
  if (whole?.state !== 'Running') return undefined
  let counts = NO_COUNTS
  let refused = 0
  for await (const result of allResults(work.chunks, whole)) {
    counts = addCounts(counts, countsOf([result]))
    if (isRefused(result)) refused++
  }
  const State =
    ending === 'cancelled'
      ? 'Cancelled'
      : refused > 0 || ending !== undefined
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
