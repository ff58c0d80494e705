/** What the main thread and the engine thread say to each other. */
import type { Position } from '../../../domain/events/event.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import type { Outcome, PackedAppend, PackedEvent } from './event-log.ts'
import type { Change } from '../read-models/queries/totals.ts'

export type ToEngine =
  | { readonly kind: 'append'; readonly first: number; readonly appends: FlatAppends }
  /** Rebuilds the read models beside those that are served, and then changes over. */
  | { readonly kind: 'rebuild' }
  /** A parked projection tries its event again. */
  | { readonly kind: 'resume'; readonly projection: string }
  /** Nobody here reads this file any more. */
  | { readonly kind: 'released'; readonly readModelPath: string }
  | { readonly kind: 'close' }

export type FromEngine =
  /** The engine is open. `readModelPath`: the file that it keeps read models in. */
  | { readonly kind: 'open'; readonly readModelPath: string; readonly head: Position }
  /** Outcomes of the appends `first`, `first + 1`, …; `failed`: nothing of the group was stored. */
  | {
      readonly kind: 'appended'
      readonly first: number
      readonly outcomes: FlatOutcomes
      readonly head: Position
    }
  | {
      readonly kind: 'failed'
      readonly first: number
      readonly count: number
      readonly message: string
      readonly disk: boolean
    }
  /** Read models changed. */
  | {
      readonly kind: 'projected'
      readonly statuses: readonly ProjectionStatus[]
      readonly changes: RecordChanges
    }
  /** From now on the read models are in this file. The one before is kept until it is `released`. */
  | { readonly kind: 'switched'; readonly readModelPath: string }
  /** Worth a line in the log. */
  | { readonly kind: 'trouble'; readonly message: string; readonly detail: string }
  /** Nothing more can be done here; the process must end and be started again. */
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'closed' }

/** By object and company (`<object> <company>`): what changed there. */
export type RecordChanges = ReadonlyMap<string, ScopeChanges>

export interface ScopeChanges {
  /** What became of each record, or null where that is too much to say. */
  readonly listed: readonly Change[] | null
  /** The numbers of all records that may have changed, some of them more than once. */
  readonly rows: readonly number[]
}

/**
 * Appends one after the other as a flat list of company, stream, expected version, number of events, and for each event
 * id, type, data, metadata. Threads exchange flat lists at a fraction of the cost of objects.
 */
export type FlatAppends = readonly (string | number)[]

export function flatten(appends: readonly PackedAppend[]): FlatAppends {
  const flat: (string | number)[] = []
  for (const { company, stream, expected, events } of appends) {
    flat.push(company, stream, expected, events.length)
    for (const { id, type, data, metadata } of events) flat.push(id, type, data, metadata)
  }
  return flat
}

export function unflatten(flat: FlatAppends): PackedAppend[] {
  const appends: PackedAppend[] = []
  for (let at = 0; at < flat.length;) {
    const [company, stream, expected, count] = flat.slice(at, (at += 4)) as [string, string, number, number]
    const events: PackedEvent[] = []
    for (let i = 0; i < count; i++) {
      const [id, type, data, metadata] = flat.slice(at, (at += 4)) as [string, string, string, string]
      events.push({ id, type, data, metadata })
    }
    appends.push({ company, stream, expected, events })
  }
  return appends
}

/** Two numbers for each append: version and position; or the version that the stream was at, and -1. */
export type FlatOutcomes = readonly number[]

export function flattenOutcomes(outcomes: readonly Outcome[]): FlatOutcomes {
  return outcomes.flatMap((outcome) =>
    'conflict' in outcome ? [outcome.conflict, -1] : [outcome.version, outcome.position],
  )
}

export function unflattenOutcomes(flat: FlatOutcomes): Outcome[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => {
    const [version, position] = [flat[2 * i]!, flat[2 * i + 1]!]
    return position < 0 ? { conflict: version } : { version, position }
  })
}
