/** Step 2 of an import: a dry run of every row. Nothing is stored but what it came to. */
import { hash } from 'node:crypto'
import { claimHash } from '../../commands/support/unique-claims.ts'
import { definitionHash } from '../../commands/support/definition-hash.ts'
import type { Json } from '../../domain/json.ts'
import { NO_COUNTS, type Checked, type Import } from '../import.ts'
import { rowBodies } from '../mapping/row-body.ts'
import type { StagedRow } from '../staging/staged-rows.ts'
import { changeImport, type ImportWork } from '../work.ts'
import { keepReport, MOST_REPORTED } from './check-report.ts'
import { openRun, type Run } from './chunk-runner.ts'
import { addCounts, countsOf, type RowResult } from './outcomes.ts'
import { goodRows, ownLookups } from './own-lookups.ts'
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
  const definition = work.definitions.get(whole.object)!
  const of = { definition, mapping: whole.mapping!, columns: whole.read!.Columns }
  const own = ownLookups(of)
  const good = goodRows(of)
  const taken = new Map<number, number>()
  const run = await openRun(work, whole, {
    duplicateOf: duplicates.of,
    twinOf(row, claim) {
      const twin = taken.get(claimHash(whole.company, whole.object, claim))
      return twin === row ? undefined : twin
    },
    dryRun: { taken },
    wouldBeThere: good.has,
  })
  const failed = new Map<number, RowResult>()
  let counts = NO_COUNTS
  /** By chunk: the rows that wait for another. */
  let waiting = new Map<number, ReadonlySet<number>>()
  const judge = async (chunk: number, rows: readonly StagedRow[]): Promise<readonly RowResult[]> => {
    const results = await runRows(run.options, rows, await run.as(false))
    good.add(rows, results)
    for (const result of results) {
      if (result.outcome !== 'Failed') failed.delete(result.row)
      else if (failed.size < MOST_REPORTED || failed.has(result.row)) failed.set(result.row, result)
    }
    const left = results.filter(own.waits).map(({ row }) => row)
    if (left.length > 0) waiting.set(chunk, new Set(left))
    return results
  }
  progress.begin(whole.key, 'check', whole.read!.Rows)
  for (let chunk = 0; chunk < run.staged.chunks; chunk++) {
    if (await isStopped()) return undefined
    const rows = await run.staged.chunk(chunk)
    duplicates.look(run, rows)
    const some = countsOf(await judge(chunk, rows))
    counts = addCounts(counts, some)
    progress.add(whole.key, some)
  }
  for (let isMore = waiting.size > 0; isMore && waiting.size > 0;) {
    isMore = false
    const again = waiting
    waiting = new Map()
    for (const [chunk, numbers] of again) {
      if (await isStopped()) return undefined
      const rows = (await run.staged.chunk(chunk)).filter(({ number }) => numbers.has(number))
      const some = countsOf(await judge(chunk, rows))
      if (some.Failed < rows.length) isMore = true
      counts = addCounts(counts, { ...some, Failed: some.Failed - rows.length })
    }
  }
  const Report = await keepReport(work.files, whole.company, {
    failed: inOrder(failed),
    duplicates: duplicates.all,
  })
  const check: Checked = {
    WouldCreate: counts.Created,
    WouldUpdate: counts.Updated,
    Unchanged: counts.Unchanged,
    Skipped: counts.Skipped,
    WouldFail: counts.Failed,
    Report,
    Definition: definitionHash(definition),
  }
  return changeImport(work, whole, { State: 'Checked', Check: check as unknown as Json })
}

const inOrder = (failed: ReadonlyMap<number, RowResult>): readonly RowResult[] =>
  [...failed.values()].sort((one, other) => one.row - other.row)

/** Rows with the key of an earlier one; by hashes of 48 bits, so that millions fit. */
function duplicateRows() {
  const seen = new Map<number, number>()
  const rows = new Map<number, number>()
  return {
    of: (row: number) => rows.get(row),
    all: rows,
    look({ options }: Run, some: readonly StagedRow[]) {
      const { definition, mapping, columns } = options
      if (mapping.KeyField === undefined || mapping.DuplicatesInFile !== 'error') return
      const bodyOf = rowBodies(definition, mapping, columns)
      for (const { number, cells } of some) {
        const { key } = bodyOf(cells)
        if (key === undefined || key === null) continue
        const hashed = hash('sha1', JSON.stringify(key), 'buffer').readUIntBE(0, 6)
        const first = seen.get(hashed)
        if (first === undefined) seen.set(hashed, number)
        else rows.set(number, first)
      }
    },
  }
}
