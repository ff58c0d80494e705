/**
 * A rule that makes timers: when something is due for a record, and what is then done. Rules come from definitions (an action
 * that a date takes, a reminder), and whatever else has to be done at its time.
 */
import { hash } from 'node:crypto'
import type { Company } from '../domain/events/event.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Occurrence } from '../domain/time/date-rule.ts'
import type { Timer } from '../ports/timers.ts'

/** A live record, as it is now. */
export interface PlannedRecord {
  readonly company: Company
  readonly key: string
  readonly state: RecordState
  /** The time zone of its company. */
  readonly zone: string
}

export interface TimerRule {
  /** Words joined by dots and hyphens, such as `contract.expire`. Stored, so kept for ever. */
  readonly name: string
  /** All that its timers follow from, as text: where it is another, they are planned again. */
  readonly shape: string
  /** The object of its records. */
  readonly object: string
  /** Fields that its timers follow from; a change of others moves none. */
  readonly fields: readonly string[]
  /** Also what was due before the rule was there. */
  readonly backfill?: boolean
  /** Pure: all that is due for the record at any time, also what was due long ago and what is done. */
  plan(record: PlannedRecord): readonly Occurrence[]
  /**
   * Does what is due. It may be done twice: after a crash, and by several processes. `again`: it is due once more at this
   * moment, in ms since 1970.
   * @throws Unavailable when it has to be tried again soon; another error: later
   */
  fire(timer: Timer, record: PlannedRecord): Promise<void | { readonly again: number }>
}

/** The name under which timers of the rule are kept: another for every shape. */
export function timersOf({ name, shape }: Pick<TimerRule, 'name' | 'shape'>): string {
  return `${name}@${hash('sha256', shape).slice(0, 12)}`
}
