/** Integrations: set up, started, watched and repaired. */
import { ask, Things } from './areas.ts'
import { Listing } from './listing.ts'
import type { Wishes, WriteWishes } from './transport.ts'
import type { AnyFields, AnyRecord } from './values.ts'

interface Named {
  readonly Name: string
  readonly Description: string | null
}

/** An integration that can be set up, as its file says. */
export interface IntegrationFile {
  readonly Definition: string
  readonly Scenario: string
  readonly Title: string
  readonly Description: string
  readonly BaseUrl: string | null
  readonly Credentials: readonly (Named & { readonly Required: boolean })[]
  readonly Settings: readonly (Named & { readonly Default: string | number | boolean | null })[]
  readonly Receives: readonly (Named & { readonly IsForm: boolean })[]
  readonly Polls: readonly (Named & { readonly EverySeconds: number })[]
  readonly Sends: readonly Named[]
  /** A directory keeps the records of this object, at `/api/v1/scim/v2/{key}`. */
  readonly Scim: { readonly Object: string; readonly Credential: string } | null
}

export type InboxState =
  'stored' | 'waiting' | 'applied' | 'ignored' | 'rejected' | 'conflict' | 'quarantined'
export type SendingState = 'due' | 'attempting' | 'sent' | 'skipped' | 'refused' | 'failed'

/** What a message did, or would do. */
export interface ChangeResult {
  readonly Object: string
  readonly Did: 'created' | 'updated' | 'unchanged' | 'ignored' | 'waiting' | 'rejected' | 'conflict'
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

/** A change of a record, on its way to the other system. */
export interface Sending {
  readonly Id: string
  readonly Entry: string
  readonly Record: string
  readonly Event: string
  readonly State: SendingState
  readonly Attempts: number
  readonly Status: number | null
  readonly ExternalId: string | null
  readonly Reason: string | null
  readonly CreatedAt: string
  readonly ModifiedAt: string
}

/** A message that has changed what was changed here, too. */
export interface ConflictMessage {
  readonly Id: string
  readonly Entry: string
  readonly ReceivedAt: string
  readonly Records: readonly {
    readonly Object: string
    readonly Record: string
    readonly Fields: readonly { readonly Field: string; readonly Ours: unknown; readonly Theirs: unknown }[]
  }[]
}

/** How far the asking of the other system has come. */
export interface Poll {
  readonly Entry: string
  readonly EverySeconds: number
  readonly Checkpoint: string | null
  readonly LastRunAt: string | null
  readonly NextRunAt: string | null
  readonly FailingSince: string | null
  readonly Reason: string | null
}

export interface FullSync {
  readonly AskedAt: string
  readonly State: 'polling' | 'applying' | 'sending' | 'done' | 'stopped'
  readonly IsInitial: boolean
  readonly Read: number
  readonly Queued: number
  readonly FinishedAt: string | null
  readonly Reason: string | null
}

export class Integrations extends Things<AnyRecord> {
  /** Those that can be set up. */
  definitions(wishes: Wishes = {}): Listing<IntegrationFile> {
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
  /** What was received, the newest first. `from`: of this moment or later. */
  inbox(
    key: string,
    query: { readonly state?: InboxState; readonly from?: string } & Wishes = {},
  ): Listing<InboxMessage> {
    const { state, from, ...wishes } = query
    return this.#listed(this.of(key, 'inbox'), { state, from }, wishes)
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
  /** Fields that both sides have changed. */
  conflicts(key: string, wishes: Wishes = {}): Listing<ConflictMessage> {
    return this.#listed(this.of(key, 'conflicts'), {}, wishes)
  }
  /** Says by field whose value holds: theirs is set here, ours is sent to them. */
  resolve(
    key: string,
    id: string,
    take: Readonly<Record<string, 'ours' | 'theirs'>>,
    wishes: WriteWishes = {},
  ): Promise<{ readonly Id: string; readonly State: 'applied'; readonly Records: readonly string[] }> {
    return this.post(key, ['conflicts', id, 'resolve'], { Take: take }, wishes)
  }
  /** What was sent, or is on its way, the newest first. */
  sent(
    key: string,
    query: { readonly state?: SendingState; readonly record?: string; readonly from?: string } & Wishes = {},
  ): Listing<Sending> {
    const { state, record, from, ...wishes } = query
    return this.#listed(this.of(key, 'sent'), { state, record, from }, wishes)
  }
  /** Sends what has failed, or was refused, once more: the record as it is now. */
  sendAgain(key: string, id: string, wishes: WriteWishes = {}): Promise<Sending> {
    return this.post(key, ['sent', id, 'retry'], undefined, wishes)
  }
  polls(key: string, wishes: Wishes = {}): Listing<Poll> {
    return this.#listed(this.of(key, 'polls'), {}, wishes)
  }
  /** The full sync that was asked for last. @throws NotFound where none was */
  fullSync(key: string, wishes: Wishes = {}): Promise<FullSync> {
    return ask(this.transport, { method: 'GET', path: this.of(key, 'sync'), ...wishes })
  }
  /** Reads and takes over all that is there, then sends all that is not there as it is here. */
  syncInFull(key: string, wishes: WriteWishes = {}): Promise<FullSync> {
    return this.post(key, ['sync'], undefined, wishes)
  }

  #listed<T>(path: string, query: Readonly<Record<string, string | undefined>>, wishes: Wishes): Listing<T> {
    return new Listing({ transport: this.transport, path, query, wishes, asOf: undefined })
  }
}
