/**
 * An event: something that happened to one stream, kept for ever.
 *
 * Type names and shapes below are stored for ever. Add; never rename or remove.
 */
import type { Fields } from '../json.ts'

/** A place in the order of all events of the store. Grows, with gaps; 0 is before the first event. */
export type Position = number

/** Key of a company: the tenant boundary. */
export type Company = string

/** The service itself: the company of what belongs to none, and the actor of what nobody asked for. */
export const SYSTEM = 'daybook'

/** Who did it and why. */
export interface EventMetadata {
  readonly company: Company
  /** Key of the user or token that asked for it. */
  readonly actor: string
  /** When it happened by the service's clock: ISO 8601 UTC with milliseconds. */
  readonly at: string
  /** The request that led here; shared by all its events. */
  readonly correlation: string
  /** The name of the command: `create`, `update`, … */
  readonly command: string
  /** The client's `Idempotency-Key`, if it sent one. */
  readonly idempotencyKey?: string
  /** The client's `Daybook-Reason`, or the comment of a workflow action. */
  readonly reason?: string
  /** Version of the shape of `data`; older shapes are read through upcasters. */
  readonly schema: 1
}

/** An event that is to be appended. */
export interface NewEvent {
  /** UUID, derived from the command so that a repeated append is recognised. */
  readonly id: string
  /** `<object>.<action>`, for example `contract.created`: the public event name. */
  readonly type: string
  /** The fields set; `null` clears one. */
  readonly data: Fields
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
}
