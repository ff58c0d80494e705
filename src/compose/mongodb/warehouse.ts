/** The warehouse's rows in MongoDB, as the processes with the role `projections` keep them. */
import type { Log } from '../../ports/log.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { WAREHOUSE_MONGODB, warehouseProjection } from '../../projections/warehouse.ts'
import { keepLed } from './keep-led.ts'

export interface MongoWarehouseOptions {
  readonly url: string
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  readonly log: Pick<Log, 'error'>
  readonly now: () => number
}

/** Returns what ends it. */
export async function keepMongoWarehouse({
  url,
  definitions,
  events,
  log,
  now,
}: MongoWarehouseOptions): Promise<() => Promise<void>> {
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const { mongoSink } = await import('../../adapters/mongodb/warehouse/sink.ts')
  const { projectionOrders } = await import('../../adapters/mongodb/read-models/projection-control.ts')
  return keepLed({
    what: 'the warehouse',
    events,
    projection: warehouseProjection(definitions, WAREHOUSE_MONGODB),
    store: mongoSink({ url, definitions, now, onTrouble }),
    orders: projectionOrders({ url, definitions, base: WAREHOUSE_MONGODB }),
    onTrouble,
  })
}
