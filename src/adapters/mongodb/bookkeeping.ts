/** The documents beside the records: who writes, how far it has come, and what is left to do. All by generation. */
import type { Company, Position } from '../../domain/events/event.ts'
import type { LastEvent } from '../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'

export interface LeaseDocument {
  /** The generation that the lease is for. */
  readonly _id: string
  readonly term: number
  /** Grows as long as the holder lives. */
  readonly beat: number
  /** False when the holder has let go of it. */
  readonly held: boolean
  /** For people: which process. */
  readonly holder: string
}

export interface CheckpointDocument {
  /** The generation. */
  readonly _id: string
  /** Of the lease in which it was last written. */
  readonly term: number
  readonly stamp: number
  readonly positions: { readonly [projection: string]: Position }
  /** The last event that each position covers. */
  readonly last?: { readonly [projection: string]: LastEvent }
  /** What other processes write. The positions above are of all other shards. */
  readonly given?: readonly GivenShare[]
}

/** Shards of companies that another process than the holder of the lease writes. */
export interface GivenShare {
  /** Of its `ShareDocument`. */
  readonly id: string
  readonly holder: string
  readonly shards: readonly number[]
}

/** The checkpoint of shards that were given to a process. */
export interface ShareDocument extends Pick<CheckpointDocument, '_id' | 'stamp' | 'positions' | 'last'> {
  readonly generation: string
  /** It was taken back, and is never moved again. */
  readonly fenced?: boolean
}

/** A process that takes its part of a generation. */
export interface MemberDocument {
  /** The holder's name. */
  readonly _id: string
  readonly generation: string
  /** Grows as long as it lives. */
  readonly beat: number
}

/** The checkpoint of a generation of records. */
export interface PositionsDocument extends CheckpointDocument {
  /** By object. */
  readonly collections: { readonly [object: string]: CollectionOfObject }
  /** It has once shown everything that was stored when this process began to write it. */
  readonly isBuilt?: boolean
  /** Generations of another log, in whose place this one is. */
  readonly replaces?: readonly string[]
}

export interface CollectionOfObject {
  readonly name: string
  /** What it was built by. */
  readonly layout: string
  /** Taken over from another generation, which had come so far; 0: built by this one. */
  readonly from: Position
}

/** A process that reads. */
export interface ReaderDocument {
  readonly _id: string
  readonly generation: string
  /** Grows as long as it lives. */
  readonly beat: number
}

/** What projections say of themselves beside their position. */
export interface StatesDocument {
  readonly _id: string
  readonly statuses: readonly ProjectionStatus[]
}

export interface FanOutDocument {
  /** That of the record that was renamed. */
  readonly _id: string
  readonly company: Company
  readonly object: string
  readonly key: string
  /** Of the event that renamed it. */
  readonly position: Position
  /** Taken over from another generation: nothing is done before the own one has come so far, and knows what to show. */
  readonly after?: Position
}

/** Which rebuild of a generation is served. */
export interface ServingDocument {
  /** The generation that the definitions give. */
  readonly _id: string
  /** The one that is read: that, or a rebuild of it. */
  readonly generation: string
}

/** What an operator asks of the process that writes. */
export interface CommandDocument {
  readonly _id: string
  /** The generation that the definitions give. */
  readonly base: string
  readonly command: 'rebuild' | 'resume'
  readonly projection: string
}

/** A record that the server refused with its words, and that is shown without them. */
export interface PutAsideDocument {
  /** `<generation>/<company>/<key>` */
  readonly _id: string
  readonly generation: string
  readonly company: Company
  readonly object: string
  readonly key: string
  /** The server's reason. */
  readonly message: string
}
