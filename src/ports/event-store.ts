/**
 * What the system asks of an event store. Proven by `test/contracts/event-store.ts`.
 *
 * Only what SQLite and EventStoreDB can both promise is here: one stream per append, an expected version on every
 * append, repeats recognised by event id, one order of all events.
 */
import type { Company, NewEvent, Position, RecordedEvent } from '../domain/events/event.ts'

export interface Append {
  readonly company: Company
  /** Never empty; letters, digits and `-`. */
  readonly stream: string
  /** The version that the stream must be at; 0: it must not be there yet. */
  readonly expected: number
  /** One or more; ids are unique in the whole store. */
  readonly events: readonly NewEvent[]
  /**
   * Never rejects. The caller would rather have this stored together with all that waits for the same promise than at once;
   * each still succeeds or fails by itself. A store that gains nothing by that does not wait.
   */
  readonly together?: Promise<void> | undefined
}

export interface Appended {
  /** Version of the stream after the last of the events. */
  readonly version: number
  /** Position of the last of the events. */
  readonly position: Position
}

/** Events in order, and how far they reach: `position` may lie past the last event where others were passed over. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[]
  readonly position: Position
}

export interface EventStore {
  /**
   * Stores all of the events or none, durably: what this answers survives a power cut. A repeat, that is the same
   * ids at the same expected version, stores nothing and answers as the first time.
   * @throws VersionConflict when the stream is not at `expected`
   * @throws Unavailable when the store cannot take it now; a repeat with the same ids is then safe
   */
  append(append: Append): Promise<Appended>

  /**
   * The stream's events with a version greater than `after` (0: all), oldest first; empty when there are none, or when
   * they are another company's. In the newest shape, as all events that the store hands out.
   * @throws Error when one of them cannot be read: the state of the stream is then unknown
   */
  read(company: Company, stream: string, after?: number): Promise<readonly RecordedEvent[]>

  /**
   * The last event that `read` would answer, however long the stream is; undefined when there is none.
   * @throws Error when it cannot be read
   */
  last(company: Company, stream: string): Promise<RecordedEvent | undefined>

  /**
   * Every company's events after a position, in their order, without gaps: first those stored, then, for as long as
   * the caller iterates, those that come. Ends when the store is closed; throws Unavailable when the store is lost, and
   * the caller subscribes again from what it has handled. An event that cannot be read comes in its place, marked so.
   */
  subscribe(after: Position): AsyncIterable<EventBatch>

  /** Position of the last event; 0 in an empty store. */
  head(): Promise<Position>

  close(): Promise<void>
}

/** An event as its store has it, to the letter. */
export interface StoredText {
  readonly id: string
  readonly type: string
  readonly version: number
  /** JSON; see `domain/events/written-text.ts`. */
  readonly data: string
  readonly metadata: string
}

/** What event stores offer to proofs: the texts that were appended. Proven by `test/system/same-bytes.test.ts`. */
export interface StoredTexts {
  /**
   * The stream's events with a version greater than `after` (0: all), oldest first, whatever their shape; empty when there
   * are none, or when they are another company's.
   */
  texts(company: Company, stream: string, after?: number): Promise<readonly StoredText[]>
}

/** The stream was not at the expected version. Nothing was stored. */
export class VersionConflict extends Error {
  readonly stream: string
  readonly expected: number
  readonly actual: number
  constructor(stream: string, expected: number, actual: number) {
    super(`${stream} is at version ${actual}, not ${expected}`)
    this.name = 'VersionConflict'
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}
