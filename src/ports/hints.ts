/**
 * Hints that deliveries to an endpoint are due: how the processes that send share the work. Proven by
 * `test/contracts/hints.ts`.
 *
 * A hint carries nothing that the outbox does not have. It may come twice, late or not at all: a sweep of the outbox
 * publishes again what is due. What is due later is in the outbox only.
 */
import type { Company } from '../domain/events/event.ts'

/** Something is due for this endpoint. */
export interface Hint {
  /** Key of the endpoint. */
  readonly endpoint: string
  readonly company: Company
}

export interface Listener {
  /** How many hints may be handled at once; 1 or more. */
  readonly concurrency: number
  /** Does the work. The hint is given up when this settles; when the process ends before, another gets it. */
  handle(hint: Hint): Promise<void>
}

export interface Listening {
  /** Takes no further hints, and resolves when those being handled have settled. */
  stop(): Promise<void>
}

export interface HintsStatus {
  /** `blocked`: the broker takes no hints for now. `unreachable`: nor does it hand any over. */
  readonly state: 'open' | 'blocked' | 'unreachable'
  /** Hints not yet handed over; unknown when unreachable. */
  readonly waiting?: number
  /** Hints whose handlers died again and again: more than 0 calls for a person. */
  readonly abandoned?: number
}

export interface Hints {
  /**
   * Resolves when the hints are stored, or queued in this process.
   * @throws Unavailable when the broker cannot be reached or takes none now: at once when that is known, else after a
   * bounded wait; some may have been stored, and to repeat all is safe
   */
  publish(hints: readonly Hint[]): Promise<void>

  /**
   * Hands hints over until it is stopped, through every loss of the broker. Listeners share the hints.
   * @throws Unavailable after `close`
   */
  listen(listener: Listener): Listening

  /** Never rejects, and answers within a few seconds. */
  status(): Promise<HintsStatus>

  /** Does not wait for handlers. */
  close(): Promise<void>
}
