/** The warehouse's rows in MongoDB, as the processes with the role `projections` keep them. */
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import { WAREHOUSE_MONGODB, warehouseProjection } from '../../../projections/warehouse.ts'
import { mongoProjectionControl, projectionOrders } from '../read-models/projection-control.ts'
import { mongoSink, sinkCollections, sinkStatus } from '../warehouse/sink.ts'
import { keepLed } from './keep-led.ts'
import type { MongoProjectionsOptions } from './read-models.ts'

export interface MongoWarehouseOptions extends MongoProjectionsOptions {
  /** Whether this process takes its turn to write. */
  readonly writes: boolean
}

export interface MongoWarehouse {
  readonly control: ProjectionControl
  close(): Promise<void>
}

export function openMongoWarehouse({ writes, ...options }: MongoWarehouseOptions): MongoWarehouse {
  const { url, definitions } = options
  const collections = sinkCollections({ url, definitions })
  const readModels = {
    async status() {
      await collections.connection.ready()
      return [await sinkStatus(collections)]
    },
  }
  const control = mongoProjectionControl({ url, definitions, readModels, base: WAREHOUSE_MONGODB })
  const stopWriting = writes ? keepMongoWarehouse(options) : async () => {}
  return {
    control,
    async close() {
      await stopWriting()
      await control.close()
      await collections.connection.close()
    },
  }
}

/** Returns what ends it. */
export function keepMongoWarehouse({
  url,
  definitions,
  events,
  log,
  now,
}: Omit<MongoWarehouseOptions, 'writes'>): () => Promise<void> {
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  return keepLed({
    what: 'the warehouse',
    events,
    projection: warehouseProjection(definitions, WAREHOUSE_MONGODB),
    store: mongoSink({ url, definitions, now, onTrouble }),
    orders: projectionOrders({ url, definitions, base: WAREHOUSE_MONGODB }),
    onTrouble,
  })
}
