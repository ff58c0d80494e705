/** Integrations: set up, started, watched and repaired. */
import { ask, Things } from './areas.ts'
import { Listing } from './listing.ts'
import type { Wishes, WriteWishes } from './transport.ts'
import type { AnyFields, AnyRecord } from './values.ts'

export type InboxState = 'stored' | 'waiting' | 'applied' | 'ignored' | 'rejected' | 'quarantined'

/** What a message did, or would do. */
export interface ChangeResult {
  readonly Object: string
  readonly Did: 'created' | 'updated' | 'unchanged' | 'ignored' | 'waiting' | 'rejected'
  readonly Record: string | null
  readonly Reason?: string
  readonly Fields?: AnyFields
}

export interface InboxMessage {
  readonly Id: string
  readonly Entry: string
  /** What the sender knows it by. */
  readonly Source: string
  readonly State: InboxState
  readonly Reason: string | null
  readonly Subject: string | null
  readonly ReceivedAt: string
  readonly Arrivals: number
  readonly Attempts: number
  readonly NextAttemptAt: string | null
  readonly Results: readonly ChangeResult[]
}

export class Integrations extends Things<AnyRecord> {
  /** Those that can be set up. */
  definitions(wishes: Wishes = {}): Listing<AnyFields> {
    return this.#listed('integrations/definitions', {}, wishes)
  }
  start(key: string, wishes: WriteWishes & { ifMatch?: string } = {}): Promise<AnyRecord> {
    return this.post(key, ['start'], undefined, wishes)
  }
  /** What comes is kept, and applied after the next start. */
  pause(key: string, wishes: WriteWishes & { ifMatch?: string } = {}): Promise<AnyRecord> {
    return this.post(key, ['pause'], undefined, wishes)
  }
  /** Nothing is taken any more. */
  stop(key: string, wishes: WriteWishes & { ifMatch?: string } = {}): Promise<AnyRecord> {
    return this.post(key, ['stop'], undefined, wishes)
  }
  /** The next value of a credential; the present one stays valid for 24 hours. */
  rotateSecret(
    key: string,
    secret: { readonly Credential: string; readonly Value: string },
    wishes: WriteWishes = {},
  ): Promise<AnyRecord> {
    return this.post(key, ['rotate-secret'], secret, wishes)
  }
  /** What a payload would do if it came now; nothing is stored. */
  preview(
    key: string,
    payload: { readonly Payload: unknown; readonly Entry?: string },
    wishes: WriteWishes = {},
  ): Promise<readonly ChangeResult[]> {
    return this.post(key, ['preview'], payload, wishes)
  }
  /** What was received, the newest first. */
  inbox(key: string, query: { readonly state?: InboxState } & Wishes = {}): Listing<InboxMessage> {
    const { state, ...wishes } = query
    return this.#listed(this.of(key, 'inbox'), { state }, wishes)
  }
  message(
    key: string,
    id: string,
    wishes: Wishes = {},
  ): Promise<InboxMessage & { readonly Payload: string }> {
    return ask(this.transport, { method: 'GET', path: this.of(key, 'inbox', id), ...wishes })
  }
  retry(key: string, id: string, wishes: WriteWishes = {}): Promise<InboxMessage> {
    return this.post(key, ['inbox', id, 'retry'], undefined, wishes)
  }
  quarantine(key: string, id: string, wishes: WriteWishes = {}): Promise<InboxMessage> {
    return this.post(key, ['inbox', id, 'quarantine'], undefined, wishes)
  }
  /** Applies messages of a time again; answers how many. */
  replay(
    key: string,
    span: { readonly From: string; readonly To?: string; readonly States?: readonly InboxState[] },
    wishes: WriteWishes = {},
  ): Promise<{ readonly Messages: number }> {
    return this.post(key, ['replay'], span, wishes)
  }

  #listed<T>(path: string, query: { readonly state?: InboxState | undefined }, wishes: Wishes): Listing<T> {
    return new Listing({ transport: this.transport, path, query, wishes, asOf: undefined })
  }
}
