/** The MongoDB adapter's parts, opened for one test and closed after it. */
import { connect, type Connection } from '../../src/adapters/mongodb/connection.ts'
import {
  mongoProjectionStore,
  type MongoProjectionStore,
} from '../../src/adapters/mongodb/read-models/projection-store.ts'
import { mongoReadModels } from '../../src/adapters/mongodb/read-models/read-models.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { ReadModels } from '../../src/ports/read-models.ts'
import { sampleDefinitions } from '../support/sample-definitions.ts'

export interface MongoOpeners {
  store(url: string, more?: { definitions?: Definitions; leaseMs?: number }): Promise<MongoProjectionStore>
  readModels(url: string, more?: { limitMs?: number; wellMs?: number }): Promise<ReadModels>
  /** The collections themselves. */
  connection(url: string, definitions?: Definitions): Connection
  closeAll(): Promise<void>
}

export function mongoOpeners(): MongoOpeners {
  const opened: { close(): Promise<unknown> }[] = []
  const keep = <T extends { close(): Promise<unknown> }>(part: T): T => {
    opened.push(part)
    return part
  }
  return {
    store: async (url, more) =>
      keep(await mongoProjectionStore({ url, definitions: sampleDefinitions, ...more })),
    readModels: async (url, more) =>
      keep(await mongoReadModels({ url, definitions: sampleDefinitions, ...more })),
    connection: (url, definitions = sampleDefinitions) =>
      keep(connect({ url, definitions, silenceMs: 10_000 })),
    async closeAll() {
      await Promise.all(opened.splice(0).map((part) => part.close()))
    },
  }
}

/** What the work was rejected with; undefined when it was not. */
export function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}
