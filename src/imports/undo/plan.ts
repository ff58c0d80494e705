/** The rows that an import has done, chunk by chunk, newest first: what refers to another record was written after it. */
import type { Company } from '../../domain/events/event.ts'
import type { Import } from '../import.ts'
import type { ChunkLog } from '../run/chunk-events.ts'
import type { Outcome, RowResult } from '../run/outcomes.ts'

/** What may have changed a record. Of kept rows of an undo, some fields may have been set back. */
const DONE: ReadonlySet<Outcome> = new Set(['Created', 'Updated', 'Undone', 'Kept'])

/** A row to undo, and its record. */
export interface DoneRow {
  readonly row: number
  readonly key: string
}

export interface UndoPlan {
  readonly count: number
  rows(chunk: number): Promise<readonly DoneRow[]>
}

/** @param original it does nothing more */
export async function planUndo(log: Pick<ChunkLog, 'read'>, original: Import): Promise<UndoPlan> {
  const { company, key, runs } = original
  const chunks: { readonly run: number; readonly chunk: number }[] = []
  for (let run = runs - 1; run >= 0; run--)
    for (let chunk = (await countChunks(log, company, key, run)) - 1; chunk >= 0; chunk--)
      chunks.push({ run, chunk })
  return {
    count: chunks.length,
    async rows(place) {
      const { run, chunk } = chunks[place]!
      const results = (await log.read(company, key, run, chunk)) ?? []
      return results.filter(isDone).reverse()
    },
  }
}

const isDone = (result: RowResult): result is RowResult & DoneRow =>
  DONE.has(result.outcome) && result.key !== undefined

/** They are done in their order: there is none after the first that is not there. */
async function countChunks(
  log: Pick<ChunkLog, 'read'>,
  company: Company,
  key: string,
  run: number,
): Promise<number> {
  const isThere = async (chunk: number) => (await log.read(company, key, run, chunk)) !== undefined
  let beyond = 1
  while (await isThere(beyond - 1)) beyond *= 2
  // Of those below `least` all are there; `beyond - 1` is not.
  let least = beyond >> 1
  let most = beyond - 1
  while (least < most) {
    const middle = (least + most) >> 1
    if (await isThere(middle)) least = middle + 1
    else most = middle
  }
  return least
}
