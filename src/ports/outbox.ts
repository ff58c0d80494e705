/**
 * What is to be sent where, in parts by who asks. Proven by `test/contracts/outbox.ts`.
 *
 * Deliveries are stored together with the position that they were made from, so that neither a crash nor the loss of a
 * broker drops one. These calls see every company's endpoints: they are for the service itself, the API has
 * `ports/delivery-log.ts`. Time is measured by the outbox, on a clock that never goes back.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { LastEvent } from './projection-store.ts'
import type { ParkedError, ProjectionStatus } from './read-models.ts'
import type { Attempt, DeliveryLog, Message, NewDelivery, Replay, Resending } from './delivery-log.ts'

/** A subscription, as far as sending needs it. */
export interface Endpoint {
  readonly key: string
  readonly company: Company
  /** Of the event that made it what it is: earlier events have been filled in for what it was before. */
  readonly position: Position
  readonly url: string
  /** Patterns of event names. */
  readonly events: readonly string[]
  readonly filter?: string | undefined
  /** Strict order per record: what failed holds up what came later for the same record. */
  readonly ordered: boolean
  readonly active: boolean
  /** Events up to here were delivered by an outbox that was lost. */
  readonly since?: Position
  /** Its filter does not fit the definitions: events after this position are kept for it, and sent once it is active again. */
  readonly heldFrom?: Position
  /** Sealed, newest first; `until`: ISO, when it is no longer valid. */
  readonly secrets: readonly { readonly sealed: string; readonly until?: string }[]
}

export type OutboxChange =
  /** The endpoint is new, or other than it was. */
  | { readonly op: 'endpoint'; readonly endpoint: Endpoint }
  /** The endpoint was deleted: nothing is sent to it any longer. */
  | { readonly op: 'forget'; readonly key: string; readonly position: Position }
  | { readonly op: 'send'; readonly message: Message; readonly deliveries: readonly NewDelivery[] }
  /** What was held back is to be sent. */
  | { readonly op: 'replay'; readonly replay: Replay }

/** A delivery that is due. */
export interface Due {
  readonly id: string
  readonly message: Message
  /** Attempts made. */
  readonly attempts: number
}

export interface DueDeliveries {
  /** The longest due first; of one time, in the order of their events. */
  readonly due: readonly Due[]
  /** Milliseconds until the next is due that is not among these and not under way; undefined: there is none. */
  readonly nextInMs?: number | undefined
}

/** What became of one attempt. */
export interface Outcome {
  readonly id: string
  readonly endpoint: string
  readonly attempt: Attempt
  readonly succeeded: boolean
  /** Of a failed attempt: milliseconds until the next; absent: there is none. */
  readonly againInMs?: number | undefined
  /** No attempt was made, because it is not its turn yet: it counts for nothing and is not in the log. */
  readonly isHeld?: boolean | undefined
}

/** What the projection that fills the outbox asks. */
export interface Filling {
  /** Resolves once this process is the one that fills the outbox; rejects with Unavailable when it is closed before. */
  leading(): Promise<void>
  /** Makes what the outbox needs to be filled; may be repeated. A new outbox is filled from the first event. */
  open(): Promise<void>
  /** The position up to which everything is filled in. */
  position(): Promise<Position>
  endpoints(): Promise<readonly Endpoint[]>
  /**
   * Makes the changes in their order, then moves the position. What is there already stays as it is, and an endpoint is
   * never set back to what it was at an earlier position: all of it can be repeated, also by a process that was cut off
   * halfway and only now goes on. Rejects with Unavailable when another process has filled the outbox meanwhile.
   */
  store(changes: readonly OutboxChange[], position: Position): Promise<void>
}

/** What a sender asks. */
export interface Sending {
  /** Makes this process the only one that sends to the endpoint, for a while; false when another one is. */
  hold(endpoint: string): Promise<boolean>
  release(endpoint: string): Promise<void>
  /** The endpoint as it is now; undefined when there is none. */
  endpoint(key: string): Promise<Endpoint | undefined>
  /**
   * Up to `limit` deliveries that are due and not among `underWay`, of records that are not among `records` either: two
   * deliveries of one record are never under way together. Undefined when there is no such endpoint, or it is not active.
   */
  due(
    endpoint: string,
    wanted: {
      readonly limit: number
      readonly underWay: ReadonlySet<string>
      readonly records: ReadonlySet<string>
    },
  ): Promise<DueDeliveries | undefined>
  /** Stores what came of attempts. Answers for each endpoint among them for how long it has only failed, in ms. */
  settle(outcomes: readonly Outcome[]): Promise<ReadonlyMap<string, number>>
}

/** What the relay asks, which keeps deliveries going. */
export interface Relaying {
  /** Whether this process is the one that fills the outbox. */
  leads(): boolean
  /** Active endpoints to which nobody sends, with deliveries that have been due for this long. */
  waiting(overdueMs: number): Promise<readonly { readonly key: string; readonly company: Company }[]>
  /** Replays that are not done, with how far each has come; none for a process that does not fill the outbox. */
  replays(): Promise<readonly (Replay & { readonly position: Position })[]>
  /** Stores a replay's deliveries and its position; `done`: it has come to its end. */
  advance(replay: string, changes: readonly OutboxChange[], position: Position, done: boolean): Promise<void>
  /** Forgets some of what came to its end longer ago than this, and answers how many; 0: there is no more. */
  purge(olderThanMs: number): Promise<number>
}

/** What the marks in the event log are made from. */
export interface Marking {
  /** Up to where nothing is pending for the endpoint; undefined when there is no such endpoint. */
  deliveredUpTo(endpoint: string): Promise<{ readonly company: Company; readonly upTo: Position } | undefined>
}

/** How the projection that fills the outbox stands, for processes that do not fill it. */
export interface OutboxControl {
  /** Reports to the others whether it goes on, or why not. */
  show(error: ParkedError | undefined): Promise<void>
  /** Undefined when it was never begun. */
  shown(): Promise<Omit<ProjectionStatus, 'name'> | undefined>
  askToResume(): Promise<void>
  /** Whether another process has asked since this was last asked. */
  isAskedToResume(): Promise<boolean>
}

/** Which log the outbox has followed: it is asked before anything is sent. */
export interface OutboxCheckpoint {
  /** The last event that it was filled from, or an earlier one: it is stored right after what it covers. */
  last(): Promise<LastEvent | undefined>
  keep(last: LastEvent): Promise<void>
  /** Of events up to here nothing is sent. */
  skipped(): Promise<Position>
  /**
   * Forgets what was pending, and has the outbox filled from the first event again; of events up to `skip` nothing is sent.
   * What was delivered stays known, and is not sent twice. To be called before anyone fills it or sends.
   */
  beginAgain(skip: Position): Promise<void>
  close(): Promise<void>
}

export interface Outbox extends Filling, Sending, Relaying, Marking, DeliveryLog, Resending {
  /** Absent where one process has the outbox for itself. */
  readonly control?: OutboxControl
  close(): Promise<void>
}
