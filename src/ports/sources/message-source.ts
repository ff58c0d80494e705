/**
 * Where messages are taken from that others publish: a broker, which keeps what was not acknowledged. Proven by
 * `test/contracts/message-source.ts`.
 */

export interface PublishedMessage {
  readonly topic: string
  readonly payload: Uint8Array
  /** The same when the broker delivers it again; undefined: it never does. */
  readonly delivery: string | undefined
  /** It may have been delivered before. */
  readonly isRepeat: boolean
}

export interface Subscription {
  /** `mqtts://host:port`; without TLS `mqtt`. */
  readonly url: string
  /** What the broker keeps undelivered messages by. */
  readonly clientId: string
  readonly user: string | undefined
  readonly password: string | undefined
  /** Filters of topics, such as `sensors/+/senml`. */
  readonly topics: readonly string[]
}

export interface Taking {
  /** The broker delivers from now on. */
  readonly subscribed: () => void
  /** Acknowledges once it has resolved; what is not acknowledged is delivered again. */
  readonly take: (messages: readonly PublishedMessage[]) => Promise<void>
}

export interface MessageSource {
  /**
   * Connects and hands messages over, in their order, some at a time. Resolves when `signal` is aborted.
   * @throws TakenOver; another Error that says why the connection has ended, or was not made
   */
  receive(subscription: Subscription, taking: Taking, signal: AbortSignal): Promise<void>
  /** The broker need keep nothing more for it. @throws Error as above */
  forget(subscription: Subscription): Promise<void>
}

/** Another process has connected by the same name. */
export class TakenOver extends Error {}
