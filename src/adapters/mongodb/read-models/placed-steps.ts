/** Steps of a projection as the operations that are still to be applied. */
import type { Position } from '../../../domain/events/event.ts'
import type { Step } from '../../../ports/projection-store.ts'
import type { Placed } from './record-changes.ts'

/** The operations of the steps after `from`, each step once. Indexing comes last: it takes records as they then stand. */
export function placed(steps: readonly Step[], from: Position, upTo: Position): Placed[] {
  const all: Placed[] = []
  let at = from
  for (const { position, operations } of steps) {
    if (position <= at) continue
    if (position > upTo) throw new RangeError(`a step at ${position} lies after the position ${upTo}`)
    at = position
    for (const operation of operations) all.push({ position, operation })
  }
  return all
}
