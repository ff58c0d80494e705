/** The import that an undo is about: held while it is undone, and what it is afterwards. */
import { Conflict } from '../../domain/errors.ts'
import { NO_COUNTS, type Counts, type Import } from '../import.ts'
import type { ImportState } from '../objects.ts'
import { addCounts, countsOf } from '../run/outcomes.ts'
import { allResults } from '../run/results.ts'
import { callerOf, changeImport, contentOf, loadImport, releaseContent, type ImportWork } from '../work.ts'

const UNDOABLE: readonly ImportState[] = [
  'Completed',
  'CompletedWithErrors',
  'Cancelled',
  'Failed',
  'PartlyUndone',
]

/** @throws Conflict where there is nothing that can be undone */
export function mustBeUndoable({ key, state, runs, fields }: Import): void {
  if (state === 'Undone')
    throw new Conflict(`${key} is undone; undo ${fields['UndoneBy'] as string} to have it back.`)
  if (!UNDOABLE.includes(state))
    throw new Conflict(`${key} is ${state}; it can be undone when it is ${UNDOABLE.join(' or ')}.`)
  if (runs === 0) throw new Conflict(`${key} was never committed: there is nothing to undo.`)
}

/**
 * Only one undo at a time works on an import.
 * @throws Conflict when another does
 */
export async function holdOriginal(work: ImportWork, undo: Import): Promise<Import> {
  const original = await loadImport(work, undo.company, undo.undoes!)
  if (!original) throw new Error(`the import that ${undo.key} undoes is not there`)
  if (original.state === 'Undoing' && original.fields['UndoneBy'] === undo.key) return original
  mustBeUndoable(original)
  return changeImport(work, original, { State: 'Undoing', UndoneBy: undo.key }, callerOf(work, undo))
}

/** Says of the import what undoing it came to, once that has ended. Done again, it changes nothing. */
export async function settleOriginal(work: ImportWork, undo: Import): Promise<void> {
  if (['Reading', 'Checked', 'Running'].includes(undo.state)) return
  const original = await loadImport(work, undo.company, undo.undoes!)
  if (original?.state !== 'Undoing' || original.fields['UndoneBy'] !== undo.key) return
  const by = callerOf(work, undo)
  const counts = undo.counts ?? (await countedSoFar(work, undo))
  const before = undo.fields['StateBefore'] as ImportState
  // What others go by is changed last: all before it is done again after a crash.
  if (undo.state === 'Completed') {
    await (original.kind === 'undo' ? redone(work, original) : releaseContent(work, original))
    await changeImport(work, original, { State: 'Undone' }, by)
  } else if (counts.Undone > 0) {
    if (original.kind === 'undo') await partlyRedone(work, original)
    await changeImport(work, original, { State: 'PartlyUndone' }, by)
  } else await changeImport(work, original, { State: before, UndoneBy: null }, by)
}

async function countedSoFar(work: ImportWork, undo: Import): Promise<Counts> {
  let counts = NO_COUNTS
  for await (const result of allResults(work.chunks, undo)) counts = addCounts(counts, countsOf([result]))
  return counts
}

/** The undo is undone: its import is what it was before, and has its content again. */
async function redone(work: ImportWork, undo: Import): Promise<void> {
  const first = await undoneBy(work, undo)
  if (!first) return
  const State = undo.fields['StateBefore'] as ImportState
  await changeImport(work, first, { State, UndoneBy: null }, callerOf(work, undo))
  const content = contentOf(first)
  if (content) await work.claims.take(callerOf(work, first), content, first.key, false)
}

async function partlyRedone(work: ImportWork, undo: Import): Promise<void> {
  const first = await undoneBy(work, undo)
  if (first?.state === 'Undone')
    await changeImport(work, first, { State: 'PartlyUndone' }, callerOf(work, undo))
}

/** The import that the undo was the last to undo. */
async function undoneBy(work: ImportWork, undo: Import): Promise<Import | undefined> {
  const first = await loadImport(work, undo.company, undo.undoes!)
  return first?.fields['UndoneBy'] === undo.key ? first : undefined
}
