/** Rows of an import with what became of them, or would. */
import type { Import } from './import.ts'
import { readReport } from './run/check-report.ts'
import type { Outcome, RowResult } from './run/outcomes.ts'
import { allResults } from './run/results.ts'
import type { ImportWork } from './work.ts'

export interface PlacedResult {
  readonly result: RowResult
  /** Among all rows of the file, from 0; undefined where only refused rows are known. */
  readonly place: number | undefined
}

/** Before the commit: the rows that would be refused, or left by an undo. Afterwards: all that are done. */
export async function* rowsOf(
  work: ImportWork,
  whole: Import,
  outcome?: Outcome,
): AsyncGenerator<PlacedResult> {
  if (whole.runs === 0) {
    if (!whole.check) return
    const { failed } = await readReport(work.files, whole.company, whole.check.Report)
    for (const result of failed)
      if (outcome === undefined || result.outcome === outcome) yield { result, place: undefined }
    return
  }
  let place = 0
  for await (const result of allResults(work.chunks, whole)) {
    if (outcome === undefined || result.outcome === outcome) yield { result, place }
    place++
  }
}
