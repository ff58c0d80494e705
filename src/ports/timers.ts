/**
 * What is to be done when, kept durably: timers of records, made by rules. Proven by `test/contracts/timers.ts`.
 *
 * A timer says when to look, never what is true: who finds one due judges the record as it is then, and does what may be
 * done twice without harm. So several processes may plan and poll at once, and a store of timers that was lost is filled
 * again from the events. Moments are ms since 1970; times of the wall clock, for rules speak of dates.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { Occurrence } from '../domain/time/date-rule.ts'
import type { LastEvent } from './projection-store.ts'

export interface Timer extends Occurrence {
  readonly company: Company
  /** The rule that made it. */
  readonly rule: string
  /** Key of the record that it is about. */
  readonly record: string
}

export type TimerChange =
  /** All timers that the rule has for the record. Passed over when a later event of the record was planned already. */
  | {
      readonly op: 'plan'
      readonly company: Company
      readonly rule: string
      readonly record: string
      readonly timers: readonly Occurrence[]
      /** Of the event that it follows from. */
      readonly position: Position
    }
  /** It has been dealt with. */
  | { readonly op: 'done'; readonly timer: Timer }
  /** It cannot be dealt with now: look again at this moment. When it was due stays. */
  | { readonly op: 'postpone'; readonly timer: Timer; readonly until: number }
  /** The rule is gone, with its timers and its position. */
  | { readonly op: 'drop'; readonly rule: string }

export interface TimerQuery {
  readonly rule: string
  /** Only those of records after this Key. */
  readonly after?: string | undefined
  /** Records, not timers. */
  readonly limit: number
}

export interface Timers {
  /** Up to where the rule's timers follow from the events; 0 for a new rule. */
  position(rule: string): Promise<Position>

  /**
   * Makes the changes in their order, then moves the positions of rules, never back, and keeps the last event that they
   * cover. All of it can be repeated. What it resolves for outlives the process; in a power cut the last of it may go, with
   * its positions, unless a rule is dropped by it or a server keeps it.
   * @throws Unavailable when it cannot be done now
   */
  store(
    changes: readonly TimerChange[],
    reached?: ReadonlyMap<string, Position>,
    last?: LastEvent,
  ): Promise<void>

  /** The latest event that was kept since a rule was dropped: it shows whether the log is still the same. */
  last(): Promise<LastEvent | undefined>

  /** Up to `limit` timers to look at until this moment, the longest due first; those of one moment in any order, which stays. */
  due(until: number, limit: number): Promise<readonly Timer[]>

  /** Keys of the company's records that have timers by the rule, in their order. */
  records(company: Company, query: TimerQuery): Promise<readonly string[]>

  close(): Promise<void>
}
