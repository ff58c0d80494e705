/** What became of the rows of an import, over its commit and all retries. */
import type { Company } from '../../domain/events/event.ts'
import type { Import } from '../import.ts'
import type { ChunkLog } from './chunk-events.ts'
import type { RowResult } from './outcomes.ts'

/** Results of one run, chunk by chunk, as far as they are there. */
export async function* chunksOf(
  log: ChunkLog,
  company: Company,
  key: string,
  run: number,
): AsyncGenerator<readonly RowResult[]> {
  for (let chunk = 0; ; chunk++) {
    const results = await log.read(company, key, run, chunk)
    if (!results) return
    yield results
  }
}

/** The last result of each row that was tried again before this run, by row. */
export async function retriedRows(
  log: ChunkLog,
  { company, key }: Import,
  runs: number,
): Promise<ReadonlyMap<number, RowResult>> {
  const retried = new Map<number, RowResult>()
  for (let run = 1; run < runs; run++)
    for await (const results of chunksOf(log, company, key, run))
      for (const result of results) retried.set(result.row, result)
  return retried
}

/** All rows in the order of the file, each with what became of it last. `runs`: how many runs count. */
export async function* allResults(
  log: ChunkLog,
  whole: Import,
  runs = whole.runs,
): AsyncGenerator<RowResult> {
  const retried = await retriedRows(log, whole, runs)
  for await (const results of chunksOf(log, whole.company, whole.key, 0))
    for (const result of results) yield retried.get(result.row) ?? result
}
