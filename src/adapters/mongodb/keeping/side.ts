/** A generation of the read models that a process keeps. */
import type { MongoProjectionStore } from '../read-models/projection-store.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import type { Follower } from '../../../projections/follow.ts'

/** A generation, and what follows the events into it once this process leads. */
export interface Side {
  readonly generation: string
  readonly store: MongoProjectionStore
  follower?: Follower
  statuses: readonly ProjectionStatus[]
  /** Called whenever `statuses` has changed. */
  onStatus: () => void
  /** Where the events ended when this process began to lead; undefined once the read models have come as far. */
  builtAt?: Position | undefined
}

/** How far all of its projections have come; -1 before it is known. */
export const positionOf = ({ statuses }: Side): Position =>
  statuses.length === 0 ? -1 : Math.min(...statuses.map(({ position }) => position))

/** Waits until the side has come as far. @throws Error when it is parked, or this process stops */
export function reachedBy(
  side: Side,
  position: Position,
  progress: (position: Position) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const error = side.statuses.find((status) => status.error)?.error
      if (signal.aborted) reject(new Error('The process is stopping.'))
      else if (error) reject(new Error(`Position ${error.position}: ${error.message}`))
      else if (positionOf(side) >= position) resolve()
    }
    side.onStatus = () => {
      progress(positionOf(side))
      look()
    }
    signal.addEventListener('abort', look, { once: true })
    look()
  })
}
