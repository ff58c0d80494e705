/** A folder of warehouse files, brought to a position by the service's own projection and adapter. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describeLast } from '../../src/projections/log-state.ts'
import { sqliteWarehouseStore, STATE } from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import { openStateFile } from '../../src/adapters/sqlite/warehouse/state-file.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { lastOf } from '../../src/projections/projection.ts'
import { WAREHOUSE, warehouseProjection } from '../../src/projections/warehouse.ts'
import type { Log } from './log.ts'
import { messageOf } from '../../src/domain/errors.ts'

export interface FollowedWarehouse {
  readonly catalogue: Catalogue
  /**
   * Applies the events up to a position; `onEvents` sees them too.
   * @throws Error for an event that cannot be applied
   */
  bringTo(position: Position, onEvents?: (events: readonly RecordedEvent[]) => void): Promise<void>
  close(): Promise<void>
}

export interface FollowOf {
  readonly folder: string
  readonly definitions: Definitions
  readonly log: Log
}

/** A warehouse from nothing, with the same history of the schema, so that every value goes where it went. */
export function buildBy(catalogue: Catalogue, of: FollowOf): FollowedWarehouse {
  mkdirSync(of.folder)
  const state = openStateFile(join(of.folder, STATE))
  state.setCatalogue(catalogue)
  state.close()
  return followWarehouse(of)
}

/** @throws Error when the folder has to be rebuilt by these definitions first */
export function followWarehouse({ folder, definitions, log }: FollowOf): FollowedWarehouse {
  const store = sqliteWarehouseStore({ folder, definitions, now: Date.now })
  if (store.isOutdated)
    throw new Error(
      'the warehouse has to be rebuilt by these definitions: start the service, and let it do so',
    )
  const projection = warehouseProjection(definitions)
  return {
    catalogue: store.catalogue,
    async bringTo(position, onEvents = () => {}) {
      const last = store.lastEvent()
      const stray = await log.strayOf(last ? [last] : [])
      if (stray)
        throw new Error(`the warehouse is of another log: ${describeLast(stray)}. The next start rebuilds it`)
      try {
        for await (const batch of log.between(await store.position(WAREHOUSE), position)) {
          const steps = batch.events
            .map((event) => ({ position: event.position, operations: projection.project(event) }))
            .filter(({ operations }) => operations.length > 0)
          await store.apply([{ projection: WAREHOUSE, steps }], batch.position, lastOf(batch.events))
          onEvents(batch.events)
        }
      } catch (error) {
        const why = messageOf(error)
        throw new Error(`the warehouse cannot be brought up to the last event: ${why}`, { cause: error })
      }
    },
    close: () => store.close(),
  }
}
