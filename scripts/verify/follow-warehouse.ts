/** A folder of warehouses, brought as far as is asked by the projection of the service, into the files of the service. */
import { sqliteWarehouseStore } from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { lastOf } from '../../src/projections/projection.ts'
import { WAREHOUSE, warehouseProjection } from '../../src/projections/warehouse.ts'
import type { Log } from './log.ts'

export interface FollowedWarehouse {
  readonly catalogue: Catalogue
  /**
   * Applies the events up to a position, and shows them to whoever looks on.
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

/** @throws Error when the folder is to be built anew by these definitions before it can be gone on with */
export function followWarehouse({ folder, definitions, log }: FollowOf): FollowedWarehouse {
  const store = sqliteWarehouseStore({ folder, definitions, now: Date.now })
  if (store.isOutdated)
    throw new Error(
      'the warehouse is to be built anew by these definitions: start the service, and let it do so',
    )
  const projection = warehouseProjection(definitions)
  return {
    catalogue: store.catalogue,
    async bringTo(position, onEvents = () => {}) {
      try {
        for await (const batch of log.between(await store.position(WAREHOUSE), position)) {
          const steps = batch.events
            .map((event) => ({ position: event.position, operations: projection.project(event) }))
            .filter(({ operations }) => operations.length > 0)
          await store.apply([{ projection: WAREHOUSE, steps }], batch.position, lastOf(batch.events))
          onEvents(batch.events)
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`the warehouse cannot be brought up to the last event: ${why}`, { cause: error })
      }
    },
    close: () => store.close(),
  }
}
