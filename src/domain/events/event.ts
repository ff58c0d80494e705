/**
 * An event: something that happened to one stream, kept for ever.
 *
 * Type names and shapes below are stored for ever. Add; never rename or remove. How they are stored is in
 * `written-text.ts`, how earlier shapes are read in `upcast.ts`.
 */
import type { Fields } from '../json.ts'

/** A place in the order of all events of the store. Grows, with gaps; 0 is before the first event. */
export type Position = number

/** Key of a company: the tenant boundary. */
export type Company = string

/** The service itself: the company of what belongs to no tenant, and the actor of what no request asked for. */
export const SYSTEM = 'daybook'

/**
 * The circumstances of an event. No personal data and no free text: a server can redact the data of an event, never its
 * metadata.
 */
export interface EventMetadata {
  /** Version of this envelope. */
  readonly envelope: 2
  readonly company: Company
  /** Key of the user or token that asked for it. */
  readonly actor: string
  /** Key of the person behind a token; absent where the actor is that person. */
  readonly onBehalfOf?: string
  /** When it was asked for, by the clock of the process: ISO 8601 UTC with milliseconds. Of a repeat: the first time. */
  readonly at: string
  /** When it was decided; within a process it never goes back. All that is judged by time is judged by this. */
  readonly recordedAt: string
  /** An import announces this event in its summary only. */
  readonly quiet?: true
  /** The request that led here; shared by all its events. The name is EventStoreDB's, so that its tools can follow it. */
  readonly $correlationId: string
  /** Id of the event, or name of the row or timer, that led here. */
  readonly $causationId?: string
  /** The name of the command: `create`, `update`, … */
  readonly command: string
  /** Where the command came from: `api`, `system`, `import:<key>#<row>`, `integration:<key>`, `timer:<rule>`. */
  readonly source: string
  /** Short hash of the object definition that judged the event. */
  readonly definition?: string
  /** Version of the shape of this event type's `data`; older shapes are read through upcasters. */
  readonly schema: number
}

/** An event that is to be appended. */
export interface NewEvent {
  /** UUID, derived from the command so that a repeated append is recognised. */
  readonly id: string
  /** `<object>.<action>`, for example `contract.created`: the public event name. */
  readonly type: string
  /** The fields set; `null` clears one. */
  readonly data: Fields
  /** The client's `Daybook-Reason`, or the comment of a workflow action. Stored with the data. */
  readonly reason?: string
  readonly metadata: EventMetadata
}

/** An event as it was stored. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string
  /** Place in its stream, from 1. */
  readonly version: number
  readonly position: Position
  /**
   * Why it cannot be read; absent of every event that can be. Its data is empty then, its metadata at best knows the
   * company. Who goes through events in order stops before it, visibly.
   */
  readonly unreadable?: string
  /** Of one that cannot be read: what is stored, JSON or not. */
  readonly stored?: { readonly data: string; readonly metadata: string }
}
