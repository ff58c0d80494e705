/** Step 2 of an import: a dry run of every row. Nothing is stored but what it came to. */
import { hash } from 'node:crypto'
import { definitionHash } from '../../commands/support/definition-hash.ts'
import type { Json } from '../../domain/json.ts'
import { NO_COUNTS, type Checked, type Import } from '../import.ts'
import { rowBodies } from '../mapping/row-body.ts'
import type { StagedRow } from '../staging/staged-rows.ts'
import { changeImport, type ImportWork } from '../work.ts'
import { keepReport, MOST_REPORTED } from './check-report.ts'
import { openRun, type Run } from './chunk-runner.ts'
import { addCounts, countsOf, type RowResult } from './outcomes.ts'
import type { Progress } from './progress.ts'
import { runRows } from './run-rows.ts'

/** @param isStopped whether the check is wanted no more; it is then left as it is */
export async function checkStep(
  work: ImportWork,
  whole: Import,
  progress: Progress,
  isStopped: () => Promise<boolean>,
): Promise<Import | undefined> {
  const duplicates = duplicateRows()
  const dryRun = { taken: new Set<number>() }
  const run = await openRun(work, whole, { isDuplicate: duplicates.has, dryRun })
  const failed: RowResult[] = []
  let counts = NO_COUNTS
  progress.begin(whole.key, 'check', whole.read!.Rows)
  for (let chunk = 0; chunk < run.staged.chunks; chunk++) {
    if (await isStopped()) return undefined
    const rows = await run.staged.chunk(chunk)
    duplicates.look(run, rows)
    const results = await runRows(run.options, rows, await run.as(false))
    const some = countsOf(results)
    counts = addCounts(counts, some)
    progress.add(whole.key, some)
    for (const result of results)
      if (result.outcome === 'Failed' && failed.length < MOST_REPORTED) failed.push(result)
  }
  const Report = await keepReport(work.files, whole.company, { failed, duplicates: duplicates.all })
  const check: Checked = {
    WouldCreate: counts.Created,
    WouldUpdate: counts.Updated,
    Unchanged: counts.Unchanged,
    Skipped: counts.Skipped,
    WouldFail: counts.Failed,
    Report,
    Definition: definitionHash(run.options.definition),
  }
  return changeImport(work, whole, { State: 'Checked', Check: check as unknown as Json })
}

/** Rows with the key of an earlier one; by hashes of 48 bits, so that millions fit. */
function duplicateRows() {
  const seen = new Set<number>()
  const rows = new Set<number>()
  return {
    has: (row: number) => rows.has(row),
    get all() {
      return [...rows]
    },
    look({ options }: Run, some: readonly StagedRow[]) {
      const { definition, mapping, columns } = options
      if (mapping.KeyField === undefined || mapping.DuplicatesInFile !== 'error') return
      const bodyOf = rowBodies(definition, mapping, columns)
      for (const { number, cells } of some) {
        const { key } = bodyOf(cells)
        if (key === undefined || key === null) continue
        const hashed = hash('sha1', JSON.stringify(key), 'buffer').readUIntBE(0, 6)
        if (seen.has(hashed)) rows.add(number)
        else seen.add(hashed)
      }
    },
  }
}
