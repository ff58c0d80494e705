/** What every command carries, and what deciding one yields. */
import type { Company } from '../domain/events/event.ts'
import type { Grant } from '../domain/grant.ts'
import type { Fields } from '../domain/json.ts'

/** Who asks, for which company, and how the request is distinguished from others. */
export interface Caller {
  readonly company: Company
  /** Key of the user or token. */
  readonly actor: string
  readonly correlation: string
  /** Key of the person behind a token; absent: the actor. */
  readonly person?: string | undefined
  /** What led to the request, where something of the service did: id of an event, name of a row or timer. */
  readonly causation?: string | undefined
  /** Where the command comes from; absent: the API. See `EventMetadata.source`. */
  readonly source?: string | undefined
  /** What it does is announced together with other things: see `EventMetadata.quiet`. */
  readonly quiet?: true | undefined
  /** UUID; the same when the same request is run again. */
  readonly command: string
  readonly reason?: string | undefined
  /**
   * When the request was first received, in ms; set when it may have been run before. Keys are derived from it. Nothing is
   * judged by it: dates and numbers go by the run that decides.
   */
  readonly repeatedFrom?: number | undefined
  /** No earlier run can have done anything. It counts only where no other process writes. */
  readonly runsFirst?: boolean | undefined
  /** The events of commands that have the same promise may be stored together: see `Append.together`. */
  readonly together?: Promise<void> | undefined
  /** Set where the request only asks what it would do. */
  readonly dryRun?: DryRun | undefined
  /** What the caller may write by this request; absent: everything of the company. */
  readonly grant?: Grant | undefined
  /** What the caller may read of an object; absent: everything of the company. */
  readonly reads?: ((object: string) => Grant | undefined) | undefined
}

/**
 * Everything is judged and nothing is stored: no event, number or claim. What earlier writes of the same dry run would take
 * counts as taken.
 */
export interface DryRun {
  /** Hashes of unique values (`claimHash`), each with the place of the write that would take it. */
  readonly taken: Map<number, number>
  /** The place of this write among those of the dry run, where it has one. */
  readonly place?: number
}

/** An event that a decision leads to, before it has an id and metadata. */
export interface Draft {
  readonly type: string
  readonly data: Fields
}
