/**
 * The read models on MongoDB, as the API asks them.
 *
 * Everything is read from the primary. Every query has the same 2 s (`maxTimeMS`), and no call waits longer for a server
 * that is gone. A list whose time is up was asked for too much only if there is something to narrow in it, and if the
 * server is quick at that moment for others.
 */
import { type Definitions } from '../../../domain/definition.ts'
import type { Position } from '../../../domain/events/event.ts'
import { isIndexed } from '../../../domain/fields/field-values.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { ListQuery, ProjectionStatus, ReadModels, StoredRecord } from '../../../ports/read-models.ts'
import { checkpointOf } from '../checkpoint.ts'
import { connect, type Connection } from '../connection.ts'
import { asDomainError, OutOfTime, tooSlow } from '../domain-errors.ts'
import { lastEventsOf } from './generations.ts'
import { listRecords } from './queries/list-records.ts'
import { watchPosition, type PositionWatch } from './position-watch.ts'
import { documentId } from './record-document.ts'
import { registerReader } from './readers.ts'
import { isNear } from './queries/sort-far.ts'
import { timeLimit, type TimeLimit } from './queries/time-limit.ts'
import { rememberedTotals } from './queries/totals.ts'

export interface MongoReadModelsOptions {
  /** `mongodb://…`; the database it names, else `daybook`. */
  readonly url: string
  readonly definitions: Definitions
  /** The projection whose position `reached` speaks of is the slowest of these. */
  readonly projections?: readonly string[]
  /** For all queries of a call together. */
  readonly limitMs?: number
  /** In this time a server that is well finds one document. */
  readonly wellMs?: number
}

export interface MongoReadModels extends ReadModels {
  /** The last events that the served read models cover. @throws Unavailable */
  lastEvents(): Promise<readonly LastEvent[]>
}

const LIMIT_MS = 2_000
const SILENCE_MS = 5_000
const WELL_MS = 250
const PROJECTIONS = ['records', 'search']

/** Nobody could ask for less. */
const isPlain = ({ filter, words, sort }: ListQuery): boolean =>
  !filter && !words?.length && sort.every((key) => isNear(key) && isIndexed(key.path.field))

/** Does not wait for the server: each call does, within its bound. */
export async function mongoReadModels({
  url,
  definitions,
  projections = PROJECTIONS,
  limitMs = LIMIT_MS,
  wellMs = WELL_MS,
}: MongoReadModelsOptions): Promise<MongoReadModels> {
  const connection = connect({ url, definitions, silenceMs: SILENCE_MS })
  const checkpoint = checkpointOf(connection.checkpoints, () => connection.generation, connection.shares)
  const reader = registerReader(connection)
  /** Stamps of one generation say nothing of another's. */
  let remembered = { generation: '', totals: rememberedTotals() }
  const totalsNow = () => {
    const { generation } = connection
    if (remembered.generation !== generation) remembered = { generation, totals: rememberedTotals() }
    return remembered.totals
  }
  const positions = async () => {
    await connection.ready()
    const { positions } = await checkpoint.read()
    return projections.map((name) => ({ name, position: positions.get(name) ?? 0 }))
  }
  const watch = watchGenerations(connection, async () =>
    Math.min(...(await positions()).map(({ position }) => position)),
  )

  const guarded = async <T>(work: (time: TimeLimit) => Promise<T>): Promise<T> => {
    const time = timeLimit(limitMs)
    try {
      return await time.within(connection.ready().then(() => work(time)))
    } catch (error) {
      throw asDomainError(error)
    }
  }

  const isWell = async (): Promise<boolean> => {
    const time = timeLimit(Math.max(1, wellMs))
    const begin = performance.now()
    const found = connection.positions.findOne({ _id: connection.generation }, time.maxTime())
    return time.within(found).then(
      () => performance.now() - begin < wellMs,
      () => false,
    )
  }

  return {
    get: (company, object, key): Promise<StoredRecord | undefined> =>
      guarded(async (time) => {
        // By nothing but the id: every engine finds it by that alone.
        const found = await connection
          .records(object)
          .findOne(
            { _id: documentId(company, key) },
            { projection: { live: 1, version: 1, json: 1 }, ...time.maxTime() },
          )
        return found?.live ? { key, version: found.version, json: found.json } : undefined
      }),
    list: (company, query) => {
      const page = guarded((time) => {
        const stamp = async () => (await checkpoint.read()).stamp
        return listRecords({ connection, definitions, company, query, time, totals: totalsNow(), stamp })
      })
      return page.catch(async (error: unknown) => {
        throw error instanceof OutOfTime && !isPlain(query) && (await isWell()) ? tooSlow() : error
      })
    },
    reached: (position, timeoutMs) => watch.wait(position, timeoutMs),
    lastEvents: () => guarded(() => lastEventsOf(connection)),
    status: (): Promise<readonly ProjectionStatus[]> =>
      guarded(async () => statusOf(connection, await positions())),
    async close() {
      watch.close()
      await reader.close()
      await connection.close()
    },
  }
}

/** What one generation has reached says nothing of another that was put in its place. */
function watchGenerations(
  connection: Pick<Connection, 'generation'>,
  look: () => Promise<Position>,
): PositionWatch {
  let watched = { generation: '', watch: watchPosition({ look }) }
  return {
    wait(position, timeoutMs) {
      const { generation } = connection
      if (watched.generation !== generation) watched = { generation, watch: watchPosition({ look }) }
      return watched.watch.wait(position, timeoutMs)
    },
    close: () => watched.watch.close(),
  }
}

/** What the process that writes has published of the projections, with the positions as they are. */
async function statusOf(
  { generation, positions, putAside, states }: Connection,
  standing: readonly Pick<ProjectionStatus, 'name' | 'position'>[],
): Promise<readonly ProjectionStatus[]> {
  const [own, published, aside] = await Promise.all([
    positions.findOne({ _id: generation }, { projection: { isBuilt: 1 } }),
    states.findOne({ _id: generation }),
    putAside.countDocuments({ generation }),
  ])
  return standing.map(({ name, position }) => {
    const said = published?.statuses.find((status) => status.name === name)
    return {
      name,
      position,
      state: said?.state ?? 'live',
      ...(said?.error && { error: said.error }),
      ...(said?.rebuilding && { rebuilding: said.rebuilding }),
      ...(aside > 0 && name === 'search' && { putAside: aside }),
      ...(own?.isBuilt && { isBuilt: true }),
    }
  })
}
