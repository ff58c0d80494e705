/** Operators' words to the engine thread, and what it says of them. */
import { Conflict } from '../../../domain/errors.ts'
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import type { ProjectionStatus, ReadModels } from '../../../ports/read-models.ts'
import type { EngineLink } from '../events/engine-link.ts'

export interface SqliteProjectionControlOptions {
  readonly readModels: Pick<ReadModels, 'status'>
  readonly engine: Pick<EngineLink, 'send' | 'listen'>
}

export function sqliteProjectionControl({
  readModels,
  engine,
}: SqliteProjectionControlOptions): ProjectionControl {
  let asked = false
  let begun = () => {}
  const isRebuilding = (statuses: readonly ProjectionStatus[]) =>
    statuses.some(({ rebuilding }) => rebuilding !== undefined)
  engine.listen((message) => {
    if (message.kind === 'projected' && isRebuilding(message.statuses)) begun()
  })

  return {
    status: () => readModels.status(),
    async rebuild(projection) {
      if (asked || isRebuilding(await readModels.status()))
        throw new Conflict(`${projection} is being rebuilt already`)
      asked = true
      const beginning = new Promise<void>((resolve) => (begun = resolve))
      engine.send({ kind: 'rebuild' })
      await beginning
      asked = false
    },
    async resume(projection) {
      engine.send({ kind: 'resume', projection })
    },
  }
}
