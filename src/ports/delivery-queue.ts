/**
 * What webhooks ask of the queue that says which delivery is due. Proven by `test/contracts/delivery-queue.ts`.
 *
 * The queue carries hints. What is to be sent, and whether it still is, stands in the outbox; a hint only says "look at
 * this delivery now". So a hint may come twice, and one that the engine lost (a broker whose disk is gone) is enqueued
 * again by a sweep of the outbox. Only what SQLite rows and RabbitMQ can both promise is here.
 */
import type { Company } from '../domain/events/event.ts'

/** A hint: which delivery, and the two things by which deliveries are bounded. */
export interface Delivery {
  /** Names the outbox row. */
  readonly id: string
  /** Key of the endpoint that it goes to. */
  readonly endpoint: string
  readonly company: Company
}

export interface Enqueued extends Delivery {
  /**
   * Whole milliseconds until it is due, from 0 (the default) to `LONGEST_DELAY_MS`; jitter is the caller's to add. It is
   * handed over no earlier, and when consumers are free not later than by about a twentieth of the delay.
   */
  readonly delayMs?: number
}

/** 30 hours: a day, and room for jitter. A longer wait is made of several. */
export const LONGEST_DELAY_MS = 30 * 3_600_000

/** How often a delivery is handed over, and fails each time, before it is abandoned; unless the engine is set otherwise. */
export const DELIVERY_LIMIT = 20

/** What became of a delivery that was handled. */
export type Handled =
  /** The hint has served. */
  | 'done'
  /** Hand it over again after this time, as a fresh one; limits as for `Enqueued.delayMs`. */
  | { readonly againInMs: number }

export interface Consumer {
  /** How many deliveries may be under way at once; 1 or more. */
  readonly concurrency: number
  /**
   * Does the work; the hint is given up only after this has resolved. When it rejects, or the process ends, the
   * delivery has failed and is handed over again, to this consumer after a pause or to another one. What is not the
   * delivery's own fault, such as a store that is gone, is no failure: it resolves with a time to come again. It settles
   * in bounded time.
   */
  handle(delivery: Delivery): Promise<Handled>
  /**
   * Takes a delivery that failed `DELIVERY_LIMIT` times in a row: someone has to look at it. The hint is gone when this
   * has resolved; until then it is kept and offered again.
   */
  abandoned(delivery: Delivery): Promise<void>
}

export interface Consumption {
  /** Hands over nothing new, and resolves when what is under way has been handled and its outcome stored. */
  stop(): Promise<void>
}

export interface QueueStatus {
  /** `blocked`: the engine takes no new deliveries for now. `unreachable`: nor does it hand any over. */
  readonly state: 'open' | 'blocked' | 'unreachable'
  /** Deliveries not yet handed over, due or not; unknown when unreachable. About right while it works. */
  readonly waiting?: number
  /** Deliveries that failed too often and wait for `abandoned`; more than 0 for long calls for a person. */
  readonly abandoned?: number
}

export interface DeliveryQueue {
  /**
   * Stores the hints. Once it resolves they survive the kill of this process and of the engine's. What is enqueued here
   * without a delay is handed over in this order, as long as nothing fails and one consumer works one at a time.
   * @throws Unavailable when the engine is gone or takes none for now, after a bounded wait; some may have been stored,
   * and to repeat it all is safe
   * @throws RangeError when a delay is out of bounds
   */
  enqueue(deliveries: readonly Enqueued[]): Promise<void>

  /**
   * Starts to hand deliveries over, and goes on, through every loss of the engine, until it is stopped or the queue is
   * closed. Several consumers, in one process or many, share the deliveries.
   * @throws Unavailable when the queue is closed
   */
  consume(consumer: Consumer): Consumption

  /** Never rejects, and answers within a few seconds. */
  status(): Promise<QueueStatus>

  /** Ends consumption without waiting for handlers: what they have under way is handed over again, to others. */
  close(): Promise<void>
}

/** Checks a delay, and gives 0 for none. @throws RangeError */
export function delayOf(delayMs = 0): number {
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > LONGEST_DELAY_MS)
    throw new RangeError(`a delay must be 0 to ${LONGEST_DELAY_MS} whole milliseconds, not ${delayMs}`)
  return delayMs
}

/** Rest of a delivery that has failed so many times in a row: 100 ms, doubling, up to a minute. */
export function pauseAfter(failures: number): number {
  return Math.min(100 * 2 ** Math.min(failures - 1, 20), 60_000)
}
