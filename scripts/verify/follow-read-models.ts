/** A file of read models, brought as far as is asked, and no further, by the projections of the service. */
import { openForWriting } from '../../src/adapters/sqlite/files/open.ts'
import { sqliteProjectionStore } from '../../src/adapters/sqlite/read-models/projection-store.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position } from '../../src/domain/events/event.ts'
import { lastOf, workOf } from '../../src/projections/projection.ts'
import { readModelProjections } from '../../src/projections/read-model-projections.ts'
import type { Log } from './log.ts'

export interface FollowedReadModels {
  readonly path: string
  position(): Promise<Position>
  /**
   * Applies the events up to a position, the names that changed by them as well.
   * @throws Error for an event that cannot be applied
   */
  bringTo(position: Position): Promise<void>
  close(): Promise<void>
}

export interface FollowOf {
  readonly path: string
  readonly definitions: Definitions
  readonly log: Log
}

export function followReadModels({ path, definitions, log }: FollowOf): FollowedReadModels {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 64 })
  const store = sqliteProjectionStore({ db, definitions })
  const projections = readModelProjections(definitions)
  const reached = async () =>
    Math.min(...(await Promise.all(projections.map(({ name }) => store.position(name)))))
  return {
    path,
    position: reached,
    async bringTo(position) {
      for await (const batch of log.between(await reached(), position))
        await store.apply(workOf(projections, batch.events), batch.position, lastOf(batch.events))
      await store.settled()
    },
    close: () => store.close(),
  }
}
