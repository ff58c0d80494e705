/** Places of events in the order of their company, counted as the warehouse takes them. The rows of a pack share one. */
import type { Company, Position } from '../events/event.ts'
import type { ActorNamed, RecordOperation, WarehouseOperation } from './operation.ts'

/** How far a company has come: the position of its last event, and that event's ordinal. */
export interface Reached {
  readonly position: Position
  readonly ordinal: number
}

export interface Placed {
  readonly position: Position
  readonly ordinal: number
  readonly operation: RecordOperation
}

/** What events lead to. */
export interface Due {
  readonly operations: readonly Placed[]
  /** In the order of their events. */
  readonly named: readonly ActorNamed[]
}

interface OneEvent {
  readonly position: Position
  readonly operations: readonly WarehouseOperation[]
}

export const BEGIN: Reached = { position: 0, ordinal: 0 }

/**
 * What is to be written, each with its ordinal. Events that their company has reached already are passed over.
 * @param reached by company; moved on to the last of the events
 */
export function placed(events: readonly OneEvent[], reached: Map<Company, Reached>): Due {
  const found: Placed[] = []
  const named: ActorNamed[] = []
  for (const { position, operations } of events) {
    const [operation] = operations
    if (!operation) continue
    const before = reached.get(operation.company) ?? BEGIN
    if (position <= before.position) continue
    const ordinal = before.ordinal + 1
    reached.set(operation.company, { position, ordinal })
    for (const one of operations)
      if (one.happening === 'named') named.push(one)
      else if (one.happening !== 'counted') found.push({ position, ordinal, operation: one })
  }
  return { operations: found, named }
}
