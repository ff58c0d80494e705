/** Operators' words to the engine thread. What comes of them is seen in the status. */
import { Conflict } from '../../domain/errors.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { EngineLink } from './engine-link.ts'

export interface SqliteProjectionControlOptions {
  readonly readModels: Pick<ReadModels, 'status'>
  readonly engine: Pick<EngineLink, 'send'>
}

export function sqliteProjectionControl({
  readModels,
  engine,
}: SqliteProjectionControlOptions): ProjectionControl {
  return {
    status: () => readModels.status(),
    async rebuild(projection) {
      const statuses = await readModels.status()
      if (statuses.some(({ state }) => state === 'rebuilding'))
        throw new Conflict(`${projection} is being rebuilt already`)
      engine.send({ kind: 'rebuild' })
    },
    async resume(projection) {
      engine.send({ kind: 'resume', projection })
    },
  }
}
