/**
 * What projections ask of the place where they keep their read models. Proven by `test/contracts/projection-store.ts`.
 *
 * Operations can be repeated without harm, and a position is stored with what it covers: after a crash the projection
 * goes on from `position` and ends where it would have ended.
 */
import { Unavailable } from '../domain/errors.ts'
import type { Company, Position } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'

interface OnRecord {
  readonly company: Company
  readonly object: string
  readonly key: string
}

export type Operation =
  /** The record is new and has these fields (names not listed have no value). */
  | (OnRecord & {
      readonly op: 'put'
      readonly version: number
      readonly fields: Fields
      readonly createdAt: string
      readonly modifiedAt: string
    })
  /** These fields of the record have new values; `null` clears. */
  | (OnRecord & {
      readonly op: 'merge'
      readonly version: number
      readonly fields: Fields
      readonly modifiedAt: string
    })
  /** The record is deleted: no longer found, listed or counted, but kept for lookups that still show it. */
  | (OnRecord & { readonly op: 'remove'; readonly version: number })
  /** The deleted record is back as it was. */
  | (OnRecord & { readonly op: 'restore'; readonly version: number; readonly modifiedAt: string })
  /** Records that look this one up show its display field: bring them up to date, in time, in small steps. */
  | (OnRecord & { readonly op: 'fanOut' })
  /** The searchable words of the record may have changed: index it as it stands, or drop it when it is deleted. */
  | (OnRecord & { readonly op: 'index' })

/** The operations of one event. */
export interface Step<O = Operation> {
  readonly position: Position
  readonly operations: readonly O[]
}

/**
 * The last event that a checkpoint covers. It is read back when a follower goes on: when it is not where it was, the
 * follower stands in front of another log, or of an earlier state of its own.
 */
export interface LastEvent {
  readonly position: Position
  readonly id: string
  readonly company: Company
  readonly stream: string
  readonly version: number
}

/** What a call is to do for one projection. */
export interface Work<O = Operation> {
  readonly projection: string
  /** The steps begin right after this position: a store that stands before it refuses them as a gap. */
  readonly after?: Position
  readonly steps: readonly Step<O>[]
}

/** `O`: what its projections write. The read models' operations are above; warehouse and outbox have their own. */
export interface ProjectionStore<O = Operation> {
  /** The position up to which the projection has applied everything; 0 when it is new. */
  position(projection: string): Promise<Position>

  /**
   * Applies the steps in order and moves the position of each named projection to `position`, never back. Steps at or
   * before a projection's own position are passed over. All projections of one call move together or not at all. Records
   * that are `index`ed are taken as they stand after all other operations of the call. When this resolves, records show the
   * new names of what they look up, where few of them are concerned; where many are, they soon will.
   * @throws Unavailable when the store cannot do it now: the same call may succeed later; and when it has gone back, because
   * another process has begun it again: the follower goes on from `position`
   * @throws Error of another kind for an operation on a record that is not there: no position has moved
   */
  apply(work: readonly Work<O>[], position: Position, last?: LastEvent): Promise<void>

  /** Resolves when no fan-out is pending: the read models then equal those of a rebuild. */
  settled(): Promise<void>

  close(): Promise<void>
}

/** @throws Unavailable when steps begin after a position that the store has not come to */
export function refuseGap({ after = 0 }: Pick<Work<never>, 'after'>, stands: Position): void {
  if (stands < after)
    throw new Unavailable(`what is written has gone back to position ${stands}, before ${after}`)
}
