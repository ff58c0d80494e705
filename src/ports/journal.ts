/**
 * What history, the audit and the changes feed ask: one company's events in commit order, by what they are about.
 * Proven by `test/contracts/journal.ts`.
 *
 * Only events of streams that are Keys are in it; the service's own bookkeeping (claims, numbering, requests) is not.
 * Nothing here is answered on the event loop, and every question ends within a bound.
 */
import { Invalid, NotYet } from '../domain/errors.ts'
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'

/** Which events; what is not given does not matter. */
export interface JournalFilter {
  readonly object?: string
  /** Key of the record. */
  readonly key?: string
  /** Key of the user or token. */
  readonly actor?: string
  /** An event's name, or the beginning of names: `contract.` */
  readonly event?: { readonly name: string } | { readonly begin: string }
  /** By `metadata.at`, in milliseconds, both inclusive. */
  readonly from?: number
  readonly to?: number
}

/** Which of them, in order of position. */
export interface JournalPage {
  /** Only events after this position. */
  readonly after?: Position
  /** Only events up to this position, it included. */
  readonly upTo?: Position
  readonly descending?: boolean
  readonly offset?: number
  readonly limit: number
}

/** An event with its place in the order of its company: 1, 2, 3 … (`domain/events/ordinals.ts`). */
export interface JournaledEvent extends RecordedEvent {
  readonly ordinal: number
}

/** The last event of a record, as far as the journal reaches. */
export interface LatestChange {
  readonly position: Position
  readonly key: string
  readonly version: number
  /** The event's name. */
  readonly type: string
}

export interface LatestChanges {
  /** In order of position, each record once. */
  readonly changes: readonly LatestChange[]
  /** Up to here nothing was left out: where the next look begins. */
  readonly position: Position
  /** There may be more after it. */
  readonly more: boolean
}

export interface Journal {
  /**
   * Waits until the journal holds every event stored before this call, and answers how far it reaches.
   * @throws NotYet when it lags behind for too long, or is being written again
   */
  caughtUp(): Promise<Position>

  /** @throws Invalid when counting takes longer than the journal allows (2 s) */
  count(company: Company, filter: JournalFilter, upTo: Position): Promise<number>

  /** @throws Invalid when finding them takes longer than the journal allows (2 s) */
  find(company: Company, filter: JournalFilter, page: JournalPage): Promise<readonly JournaledEvent[]>

  /**
   * Records of the object whose last event lies after the position, by that event: a record that changes again while its
   * change is being read is found at its new place, after this page. May answer with none although there are more.
   */
  latestChanges(company: Company, object: string, after: Position, limit: number): Promise<LatestChanges>

  /**
   * The last position, of the company's events, whose `metadata.at` is not later than this moment (milliseconds); 0 when there is none. Never falls as the moment grows, even if clocks jumped.
   */
  positionAt(company: Company, moment: number): Promise<Position>

  close(): Promise<void>
}

/** Some of a company's events: those of certain objects between two positions. */
export interface Range {
  readonly company: Company
  readonly objects: readonly string[]
  /** Only events after this position, up to the other, it included. */
  readonly after: Position
  readonly upTo: Position
}

/** What lists of the past are replayed from. */
export interface EventRanges {
  /** Position of the last event; 0 when there is none. */
  last(range: Range): Promise<Position>
  count(range: Range): Promise<number>
  /** The events in order, so many at a time; between two batches nothing is held. One that cannot be read is marked so. */
  batches(range: Range, size: number): AsyncIterable<readonly RecordedEvent[]>
  close(): Promise<void>
}

/** The journal waited for what was stored before the question, and does not have it. */
export function journalBehind(): NotYet {
  return new NotYet('the journal, from which this is read, does not have the latest events yet')
}

/** A question that takes longer than the journal allows. */
export function journalTooLong(limitMs: number): Invalid {
  const message = `takes longer than ${limitMs / 1000} s; narrow it by key, object or time`
  return new Invalid(`what is asked of the journal ${message}`, [{ Field: '', Message: message }])
}
