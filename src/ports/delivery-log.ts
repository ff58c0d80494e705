/**
 * What the API asks of the outbox: what was sent, when, and what came back; and to send something again. Proven by
 * `test/contracts/outbox.ts`, with `ports/outbox.ts`.
 *
 * Every call names the company; another company's deliveries are not there. Moments are ISO 8601 UTC with milliseconds.
 */
import type { Company, Position } from '../domain/events/event.ts'

/**
 * `pending`: to be tried, for the first time or again. `delivered`: the receiver took it. `failed`: it was tried as often
 * as the schedule has it. `cancelled`: its endpoint was deleted before.
 */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled'
export const DELIVERY_STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed', 'cancelled']

/** What is sent: one event as text. Every endpoint, and every attempt, gets the same. */
export interface Message {
  /** `webhook-id`: derived from the event, so the same for all times. */
  readonly id: string
  readonly company: Company
  /** Event name. */
  readonly event: string
  /** Key of the record that it is about. */
  readonly record: string
  /** Of the event; 0 for an event that is not in the store. */
  readonly position: Position
  readonly body: string
}

/** That a message is to be sent to an endpoint. */
export interface NewDelivery {
  /** Its Key. Derived from what led to it: what is stored twice is there once. */
  readonly id: string
  readonly endpoint: string
  readonly company: Company
  /** Id of the message. */
  readonly message: string
  /** When it came to be. */
  readonly createdAt: string
}

/** One try, and what came of it: a status, or an error. */
export interface Attempt {
  readonly at: string
  readonly durationMs: number
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly status?: number
  readonly replyHeaders?: Readonly<Record<string, string>>
  /** The beginning of the answer's body. */
  readonly reply?: string
  readonly error?: string
}

export interface LoggedDelivery {
  readonly id: string
  readonly endpoint: string
  readonly message: string
  readonly event: string
  readonly record: string
  readonly state: DeliveryState
  readonly createdAt: string
  readonly attempts: number
  readonly lastStatus?: number
  readonly lastError?: string
  readonly lastAttemptAt?: string
  /** Of a pending one. */
  readonly nextAttemptAt?: string
}

export interface DeliveryDetail extends LoggedDelivery {
  readonly body: string
  readonly log: readonly Attempt[]
}

export interface EndpointHealth {
  readonly endpoint: string
  /** Since when every attempt has failed; absent when the last one succeeded, or none was made. */
  readonly failingSince?: string
  /** Deliveries that are still to be made. */
  readonly pending: number
}

/** Of one endpoint, that wait or are under way: each takes turns with those of other companies. */
export const MOST_REPLAYS = 10

/** Events of the past that are to be sent once more to one endpoint. */
export interface Replay {
  readonly id: string
  readonly company: Company
  readonly endpoint: string
  /** Only events that happened at or after this moment; absent: from the beginning. */
  readonly from?: string
  /** Only events that happened before this moment; absent: all that had happened when the replay was asked for. */
  readonly to?: string
  /** Events after this position; absent: from the beginning. */
  readonly after?: Position
  /** Events up to here. */
  readonly until: Position
}

export interface ReplayState extends Replay {
  /** How far it has come: all events up to here have been looked at. */
  readonly position: Position
  readonly done: boolean
}

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined
  /** Event name. */
  readonly event?: string | undefined
  /** Key of the record that it is about. */
  readonly record?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** What the API reads of deliveries. */
export interface DeliveryLog {
  /** Waits until everything up to `position` has its deliveries, and what it says of endpoints holds; false when that takes longer. */
  reached(position: Position, timeoutMs: number): Promise<boolean>
  /** How the endpoints do that are named. */
  health(company: Company, endpoints: readonly string[]): Promise<readonly EndpointHealth[]>
  /** Newest first. */
  list(
    company: Company,
    endpoint: string,
    query: DeliveryQuery,
  ): Promise<{ readonly deliveries: readonly LoggedDelivery[]; readonly total: number }>
  get(company: Company, endpoint: string, id: string): Promise<DeliveryDetail | undefined>
  replayed(company: Company, endpoint: string, id: string): Promise<ReplayState | undefined>
}

/** What the API asks to be sent. */
export interface Resending {
  /** Has a message sent that was not; or one that is there sent again, then only its id matters. Repeats change nothing. */
  add(message: Message | undefined, delivery: NewDelivery): Promise<void>
  /**
   * Has events of the past sent again, in the background. Repeats change nothing. Answers false, and does nothing, where
   * `MOST_REPLAYS` of the endpoint are not done.
   */
  replay(replay: Replay): Promise<boolean>
}
