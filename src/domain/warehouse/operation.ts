/** What the warehouse projections make of an event, for an engine to write. */
import type { Company } from '../events/event.ts'
import type { Fields } from '../json.ts'
import type { Happening } from '../records/record.ts'

/** One event of one record: a new version in the history table, and the row of the table as it then is. */
export interface RecordOperation {
  readonly company: Company
  readonly object: string
  readonly key: string
  readonly version: number
  /** ISO 8601 UTC. */
  readonly at: string
  readonly actor: string
  /** `created`, `updated`, `workflow.approved` …: the event's name without the object's. */
  readonly operation: string
  readonly happening: Happening
  /** What came with it; undefined: nothing did. */
  readonly reason?: string | undefined
  /** The fields set; `null` clears. */
  readonly fields: Fields
}

/** An event that leaves no row, and has a place in the order of its company all the same. */
export interface CountedOnly {
  readonly company: Company
  readonly happening: 'counted'
}

/** Somebody who may do something got a name. Histories show it, also of what was done under an earlier one. */
export interface ActorNamed {
  readonly company: Company
  readonly happening: 'named'
  /** Key of the user, token or integration. */
  readonly actor: string
  /** As it is shown. */
  readonly name: string
  /** It has done nothing yet. */
  readonly isNew: boolean
}

/** One an event that has an ordinal (`domain/events/ordinals.ts`). */
export type WarehouseOperation = RecordOperation | ActorNamed | CountedOnly
