/** The steps of a projection, applied in their order. */
import type { Position } from '../../../domain/events/event.ts'
import type { Operation, Step } from '../../../ports/projection-store.ts'

/** Passes over those at or before `after`. */
export function applySteps(
  steps: readonly Step[],
  after: Position,
  applyOne: (operation: Operation, position: Position) => void,
): void {
  for (const { position, operations } of steps) {
    if (position <= after) continue
    for (const operation of operations) applyOne(operation, position)
  }
}
