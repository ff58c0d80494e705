/** The steps of an undo: a dry run of all its rows, then chunk by chunk (docs/imports.md#undo). */
import { definitionHash } from '../../commands/support/definition-hash.ts'
import type { Json } from '../../domain/json.ts'
import { NO_COUNTS, type Checked, type Import } from '../import.ts'
import { BANK_LINE } from '../bank/bank-file.ts'
import { restoreStatements, standAgain, undoStatements } from '../bank/run/undo-bank.ts'
import { keepReport, MOST_REPORTED } from '../run/check-report.ts'
import { runChunks } from '../run/chunk-loop.ts'
import { finish } from '../run/commit-step.ts'
import { addCounts, countsOf, isRefused, type RowResult } from '../run/outcomes.ts'
import type { Progress } from '../run/progress.ts'
import { callerOf, changeImport, loadImport, type ImportWork } from '../work.ts'
import { holdOriginal, settleOriginal } from './original.ts'
import { planUndo } from './plan.ts'
import { openUndo, undoRows } from './undo-rows.ts'

/** @param isStopped whether the check is wanted no more; it is then left as it is */
export async function checkUndoStep(
  work: ImportWork,
  undo: Import,
  progress: Progress,
  isStopped: () => Promise<boolean>,
): Promise<Import | undefined> {
  const original = (await loadImport(work, undo.company, undo.undoes!))!
  const run = openUndo(work, undo, original)
  const plan = await planUndo(work.chunks, original)
  const failed: RowResult[] = []
  let counts = NO_COUNTS
  progress.begin(undo.key, 'check', rowsOf(original))
  for (let chunk = 0; chunk < plan.count; chunk++) {
    if (await isStopped()) return undefined
    const results = await undoRows(run, await plan.rows(chunk), true)
    const some = countsOf(results)
    counts = addCounts(counts, some)
    progress.add(undo.key, some)
    for (const result of results) if (isRefused(result) && failed.length < MOST_REPORTED) failed.push(result)
  }
  const check: Checked = {
    WouldCreate: 0,
    WouldUpdate: 0,
    Unchanged: counts.Unchanged,
    Skipped: 0,
    WouldFail: counts.Failed,
    WouldUndo: counts.Undone,
    WouldKeep: counts.Kept,
    Report: await keepReport(work.files, undo.company, { failed, duplicates: new Map() }),
    Definition: definitionHash(run.definition),
  }
  return changeImport(work, undo, { State: 'Checked', Check: check as unknown as Json })
}

/** @param signal the process is stopping: what is left is done by the next */
export async function undoStep(
  work: ImportWork,
  undo: Import,
  progress: Progress,
  signal: AbortSignal,
): Promise<Import | undefined> {
  const original = await holdOriginal(work, undo)
  const run = openUndo(work, undo, original)
  const plan = await planUndo(work.chunks, original)
  progress.begin(undo.key, 'undo', rowsOf(original))
  const isLines = undo.object === BANK_LINE
  const by = { ...callerOf(work, undo), reason: `undo of ${original.key}` }
  const ended = await runChunks(work, undo, {
    number: 0,
    count: plan.count,
    run: async (chunk) => {
      const rows = await plan.rows(chunk)
      if (isLines && original.kind === 'undo')
        await restoreStatements(
          work,
          by,
          rows.map(({ key }) => key),
        )
      return undoRows(run, rows, false)
    },
    progress,
    signal,
  })
  if (!ended) return undefined
  if (isLines)
    await (original.kind === 'undo' ? standAgain : undoStatements)(work, by, await rootOf(work, original))
  const finished = await finish(work, undo, ended.ending)
  if (finished) await settleOriginal(work, finished)
  return finished
}

/** The import of a file that undoing began with. */
async function rootOf(work: ImportWork, original: Import): Promise<string> {
  let root = original
  while (root.undoes !== undefined) root = (await loadImport(work, root.company, root.undoes))!
  return root.key
}

const rowsOf = ({ counts = NO_COUNTS, read }: Import): number =>
  counts.Created + counts.Updated + counts.Undone + counts.Kept || (read?.Rows ?? 0)
