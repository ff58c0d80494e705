/** Waiting until a projection that another process writes has come to the last event. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Position } from '../../src/domain/events/event.ts'
import type { ProjectionStatus } from '../../src/ports/read-models.ts'

/** Longest without any headway of the process that writes. */
const PATIENCE_MS = 30_000
const LOOK_MS = 100

/**
 * Answers with how far it has come.
 * @throws Error when it is being rebuilt or is parked, or nobody brings it on
 */
export async function arrivalOf(
  status: () => Promise<readonly ProjectionStatus[]>,
  position: Position,
): Promise<Position> {
  let furthest = -1
  let movedAt = performance.now()
  for (;;) {
    const statuses = await status()
    const rebuilding = statuses.find(({ state }) => state === 'rebuilding')
    if (rebuilding) throw new Error(`${rebuilding.name} is being rebuilt: compare it when that has ended`)
    const behind = statuses.find((one) => one.position < position)
    if (!behind) return Math.min(...statuses.map((one) => one.position))
    const { name, error, position: at } = behind
    if (error) throw new Error(`${name} is parked at position ${error.position}: ${error.message}`)
    if (at > furthest) movedAt = performance.now()
    else if (performance.now() - movedAt > PATIENCE_MS)
      throw new Error(
        `${name} stands at position ${at} of ${position}, and no process with the role projections brings it on`,
      )
    furthest = at
    await delay(LOOK_MS)
  }
}
