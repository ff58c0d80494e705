/** What became of a row, and how that is written in the event of its chunk. */
import type { Counts } from '../import.ts'
import { NO_COUNTS } from '../import.ts'
import type { RowFault } from './faults.ts'
import type { Twins } from './taken-values.ts'

export type Outcome = keyof Counts

export const OUTCOMES: readonly Outcome[] = [
  'Created',
  'Updated',
  'Unchanged',
  'Skipped',
  'Failed',
  'Undone',
  'Kept',
]

/** Rows that were refused, or that an undo has left. */
export const isRefused = ({ outcome }: Pick<RowResult, 'outcome'>): boolean =>
  outcome === 'Failed' || outcome === 'Kept'

export interface RowResult {
  /** Of the row in the file. */
  readonly row: number
  readonly outcome: Outcome
  /** Of the record; absent where there is none. */
  readonly key?: string
  readonly version?: number
  readonly fault?: RowFault
  /** Where a check has found values of the row in other rows. */
  readonly twins?: Twins
  /** Faults that are not kept because there were too many. */
  readonly more?: number
}

export function countsOf(results: Iterable<Pick<RowResult, 'outcome'>>): Counts {
  const counts: Record<Outcome, number> = { ...NO_COUNTS }
  for (const { outcome } of results) counts[outcome]++
  return counts
}

export function addCounts(one: Counts, other: Counts): Counts {
  return Object.fromEntries(OUTCOMES.map((name) => [name, one[name] + other[name]])) as unknown as Counts
}

export const totalOf = (counts: Counts): number => OUTCOMES.reduce((sum, name) => sum + counts[name], 0)
