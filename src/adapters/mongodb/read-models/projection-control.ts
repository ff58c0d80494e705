/**
 * Operators' words to the process that writes the read models, whichever that is: documents that it looks for and takes
 * away, the last with what it serves from now on.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../../../domain/definition.ts'
import { Conflict, Unavailable } from '../../../domain/errors.ts'
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import type { ReadModels } from '../../../ports/read-models.ts'
import type { CommandDocument } from '../bookkeeping.ts'
import { connect } from '../connection.ts'
import { asDomainError } from '../domain-errors.ts'
import { generationOf } from './generation-of.ts'

export interface MongoProjectionControlOptions {
  readonly url: string
  readonly definitions: Definitions
  readonly readModels: Pick<ReadModels, 'status'>
  /** Whose orders; without it those of the records' read models. */
  readonly base?: string
}

export interface MongoProjectionControl extends ProjectionControl {
  close(): Promise<void>
}

/** The commands that the writing process carries out. */
export interface ProjectionOrders {
  /** The next command, which is then gone; undefined: there is none. */
  take(): Promise<Pick<CommandDocument, 'command' | 'projection'> | undefined>
  /** The generation that is served. */
  serving(): Promise<string>
  /** Lets every process read that generation from now on. */
  serve(generation: string): Promise<void>
  close(): Promise<void>
}

const SILENCE_MS = 5_000
const LOOK_MS = 50
const MOST_PUT_ASIDE = 100
/** The process that writes looks for commands every second. */
const TAKEN_MS = 5_000

export function mongoProjectionControl({
  url,
  definitions,
  readModels,
  base = generationOf(definitions),
}: MongoProjectionControlOptions): MongoProjectionControl {
  const connection = connect({ url, definitions, silenceMs: SILENCE_MS, generation: base })
  const served = connect({ url, definitions, silenceMs: SILENCE_MS })
  const isRebuilding = async () =>
    (await readModels.status()).some(({ rebuilding }) => rebuilding !== undefined)

  const tell = async (command: CommandDocument['command'], projection: string): Promise<string> => {
    const _id = randomUUID()
    try {
      await connection.ready()
      await connection.commands.insertOne({ _id, base, command, projection })
      return _id
    } catch (error) {
      throw asDomainError(error)
    }
  }
  /** @throws Unavailable, with the command gone, when nobody takes it */
  const taken = async (_id: string) => {
    for (
      const end = performance.now() + TAKEN_MS;
      await connection.commands.findOne({ _id });
      await delay(LOOK_MS)
    )
      if (performance.now() > end) {
        await connection.commands.deleteOne({ _id })
        throw new Unavailable('no process with the role projections writes the read models now')
      }
  }

  return {
    status: () => readModels.status(),
    async putAside(company) {
      try {
        await served.ready()
        const found = await served.putAside
          .find({ generation: served.generation, company })
          .limit(MOST_PUT_ASIDE)
          .toArray()
        return found.map(({ object, key, message }) => ({ projection: 'search', object, key, message }))
      } catch (error) {
        throw asDomainError(error)
      }
    },
    async rebuild(projection) {
      if (await isRebuilding()) throw new Conflict(`${projection} is being rebuilt already`)
      await taken(await tell('rebuild', projection))
    },
    async resume(projection) {
      await taken(await tell('resume', projection))
    },
    async close() {
      await Promise.all([connection.close(), served.close()])
    },
  }
}

export function projectionOrders({
  url,
  definitions,
  base = generationOf(definitions),
}: Omit<MongoProjectionControlOptions, 'readModels'>): ProjectionOrders {
  const connection = connect({ url, definitions, silenceMs: SILENCE_MS, generation: base })
  return {
    async take() {
      await connection.ready()
      const found = await connection.commands.findOne({ base })
      if (!found) return undefined
      const { deletedCount } = await connection.commands.deleteOne({ _id: found._id })
      return deletedCount === 1 ? found : undefined
    },
    async serving() {
      await connection.ready()
      return (await connection.serving.findOne({ _id: base }))?.generation ?? base
    },
    async serve(generation) {
      await connection.ready()
      await connection.serving.replaceOne({ _id: base }, { generation }, { upsert: true })
    },
    close: () => connection.close(),
  }
}
