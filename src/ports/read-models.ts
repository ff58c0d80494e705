/**
 * What the API asks of the read models. Proven by `test/contracts/read-models.ts`.
 *
 * Records come as the JSON text that is served, written once by the projection. Every call names the company; another
 * company's records are not there.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import type { SortKey } from '../domain/query/sort.ts'

export type { SortKey }

export interface StoredRecord {
  readonly key: string
  readonly version: number
  /** The record as served: Id, the definition's fields, CreatedAt, ModifiedAt; lookups as `{Id, <display>}`. */
  readonly json: string
}

/**
 * A record of a list, with the full JSON of each record looked up by the fields that were to be expanded. A field without
 * a value is missing among them, and so is one whose record is deleted or foreign. Absent when nothing was to be expanded.
 */
export interface ListedRecord extends StoredRecord {
  readonly expanded?: { readonly [lookup: string]: string }
}

export interface ListQuery {
  readonly object: string
  /**
   * A path over lookups ends at what the record itself shows (`Tenant/Name`: also of a deleted record), or at what the
   * record looked up holds now (`Tenant/Email`: no value when that is deleted). The same goes for sort keys.
   */
  readonly filter?: Filter
  /** Folded words (`searchWords`); each must begin a word of a searchable field. */
  readonly words?: readonly string[]
  /** Only the text of these fields counts for `words`, not that of other searchable ones. */
  readonly wordsIn?: readonly string[]
  /**
   * Records without a value come first, last when descending. Ties, and an empty sort, go by the order of creation:
   * newest first, unless the first sort key ascends.
   */
  readonly sort: readonly SortKey[]
  readonly offset: number
  /** 0: only the total. */
  readonly limit: number
  /** Names of lookup fields. */
  readonly expand: readonly string[]
}

export interface Page {
  readonly records: readonly ListedRecord[]
  /** How many records match in all. */
  readonly total: number
}

/** Where a projection stands. */
export interface ParkedError {
  readonly position: Position
  readonly message: string
  /** No event is at fault: the message says what has to be done, in words that anyone may read. */
  readonly isPublic?: true
}

export interface ProjectionStatus {
  readonly name: string
  readonly position: Position
  readonly state: 'live' | 'rebuilding' | 'parked'
  /** Of a parked projection: the event that it could not handle, and why. */
  readonly error?: ParkedError
  /** Why it does not get on now, though no event is at fault: its store refuses what it writes. It is tried again. */
  readonly trouble?: string
  /** While it is rebuilt: how far that has come. What is served stands at `position` all the while. */
  readonly rebuilding?: { readonly position: Position; readonly of: Position }
  /** It has once shown everything that was stored. Only said where other processes may build it. */
  readonly isBuilt?: true
  /** Records, of all companies, that it does not show in whole because the store refused them; absent: none. */
  readonly putAside?: number
}

export interface ReadModels {
  /** A record that is not deleted; undefined for an unknown, deleted or foreign one. */
  get(company: Company, object: string, key: string): Promise<StoredRecord | undefined>

  /**
   * @throws Invalid when the query takes longer than the read model allows (2 s) and that is the query's own doing
   * @throws Unavailable when the read model cannot be reached, or has no time for a query that is cheap
   */
  list(company: Company, query: ListQuery): Promise<Page>

  /**
   * Waits until everything up to `position` can be read, also by search; false when that takes longer than `timeoutMs`
   * or the read models are closed meanwhile. Never rejects.
   */
  reached(position: Position, timeoutMs: number): Promise<boolean>

  status(): Promise<readonly ProjectionStatus[]>

  close(): Promise<void>
}
