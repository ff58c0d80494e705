/**
 * What other systems have sent, kept durably before it is answered and applied afterwards: the mirror of the outbox, in parts
 * by who asks. Proven by `test/contracts/inbox.ts`.
 *
 * What arrives twice is kept once. What it led to stands in events, so that an inbox that was lost repeats nothing. Payloads
 * come sealed: a copy of the inbox alone opens none. Moments are ms since 1970.
 */
import type { Company } from '../domain/events/event.ts'
import type { Json } from '../domain/json.ts'

/**
 * `stored`: to be applied. `waiting`: looked at, and to be looked at again, for what it needs is not there yet. `applied`,
 * `ignored`, `rejected`: decided, in the last case not to be repeated without a person. `conflict`: applied but for fields that
 * both sides have changed. `quarantined`: set aside by a rule or a person.
 */
export const INBOX_STATES = [
  'stored',
  'waiting',
  'applied',
  'ignored',
  'rejected',
  'conflict',
  'quarantined',
] as const
export type InboxState = (typeof INBOX_STATES)[number]

/** What arrived, as it is kept. */
export interface Arrival {
  /** Of the integration and what the sender knows it by: the same for a repeat. */
  readonly id: string
  readonly company: Company
  /** Key of the integration. */
  readonly integration: string
  /** Which entry of the integration's file reads it. */
  readonly entry: string
  /** What the sender knows it by. */
  readonly source: string
  readonly payload: string
  readonly receivedAt: number
  readonly state: Extract<InboxState, 'stored' | 'quarantined'>
  readonly reason?: string | undefined
}

/** An arrival and what became of it. */
export interface InboxRow extends Omit<Arrival, 'state' | 'reason'> {
  readonly state: InboxState
  readonly reason: string | undefined
  /** How often it has come; about, where it came many times at once. */
  readonly arrivals: number
  /** How often it was looked at since a person last had it applied. */
  readonly attempts: number
  /** When it is looked at next; undefined: not before somebody asks. */
  readonly due: number | undefined
  /** What it is about, once that is known. */
  readonly subject: string | undefined
  /** What was done, change by change. */
  readonly results: Json
}

/** What came of looking at a row. */
export interface Settled {
  readonly id: string
  readonly integration: string
  readonly state: InboxState
  readonly reason?: string | undefined
  /** Absent: it is not looked at again. */
  readonly due?: number | undefined
  readonly subject?: string | undefined
  readonly results: Json
  /** Rows of the integration that wait about these subjects are due now. */
  readonly wakes?: readonly string[] | undefined
  /** The look does not count as an attempt. */
  readonly isUncounted?: boolean | undefined
}

export interface Receiving {
  /**
   * Keeps the arrivals durably. Whether each is new: a row that is there already stays as it is.
   * @throws Unavailable when that is not known to be done; it may be repeated
   */
  keep(arrivals: readonly Arrival[]): Promise<readonly boolean[]>
  /** How many rows of the integration are not decided on; counted up to `most`. */
  pending(integration: string, most: number): Promise<number>
}

export interface Applying {
  /**
   * Up to `limit` rows that are due at `now`, the longest due first, and not of the integrations `except`. Nobody else gets
   * them before `until`; who dies meanwhile leaves them due then.
   */
  take(query: {
    readonly now: number
    readonly until: number
    readonly limit: number
    readonly except: readonly string[]
  }): Promise<readonly InboxRow[]>
  /** Stores what came of rows, durably. `now`: when those that it wakes are due. */
  settle(settled: readonly Settled[], now: number): Promise<void>
  /** Forgets up to `limit` rows that arrived before this moment, whatever became of them; how many. */
  purge(before: number, limit: number): Promise<number>
}

export interface InboxQuery {
  readonly state?: InboxState | undefined
  /** Only what arrived at this moment or later. */
  readonly from?: number | undefined
  readonly offset: number
  readonly limit: number
}

/** Which rows of an integration a person means. */
export type InboxSelection =
  | { readonly ids: readonly string[] }
  | { readonly from: number; readonly to: number; readonly states: readonly InboxState[] }

export interface InboxLog {
  /** Rows of the company's integration, the newest first, without their payloads. */
  list(
    company: Company,
    integration: string,
    query: InboxQuery,
  ): Promise<{ readonly rows: readonly Omit<InboxRow, 'payload'>[]; readonly total: number }>
  get(company: Company, integration: string, id: string): Promise<InboxRow | undefined>
  /** Sets the rows aside, or has them looked at from `now` on as if they had just come; how many there are. */
  mark(
    company: Company,
    integration: string,
    selection: InboxSelection,
    to: { readonly state: Extract<InboxState, 'stored' | 'quarantined'>; readonly now: number },
  ): Promise<number>
}

export interface Inbox extends Receiving, Applying, InboxLog {
  close(): Promise<void>
}
