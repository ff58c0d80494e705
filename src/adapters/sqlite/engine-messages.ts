/** What the main thread and the engine thread say to each other. */
import type { Position } from '../../domain/event.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import type { Outcome, PackedAppend } from './event-log.ts'

export type ToEngine =
  | { readonly kind: 'append'; readonly first: number; readonly appends: readonly PackedAppend[] }
  | { readonly kind: 'close' }

export type FromEngine =
  /** The engine is open. `readModelPath`: the file that it keeps read models in. */
  | { readonly kind: 'open'; readonly readModelPath: string; readonly head: Position }
  /** Outcomes of the appends `first`, `first + 1`, …; `failed`: nothing of the group was stored. */
  | {
      readonly kind: 'appended'
      readonly first: number
      readonly outcomes: readonly Outcome[]
      readonly head: Position
    }
  | {
      readonly kind: 'failed'
      readonly first: number
      readonly count: number
      readonly message: string
      readonly disk: boolean
    }
  /** Read models changed: `touched` names each object and company (`<object> <company>`) whose records did. */
  | {
      readonly kind: 'projected'
      readonly statuses: readonly ProjectionStatus[]
      readonly touched: readonly string[]
    }
  /** Worth a line in the log. */
  | { readonly kind: 'trouble'; readonly message: string; readonly detail: string }
  /** Nothing more can be done here; the process must end and start anew. */
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'closed' }
