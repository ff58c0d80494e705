/**
 * The warehouse on PostgreSQL as its projection writes it. The checkpoint is in the same transaction as the rows that it
 * covers, and its row is locked first: several processes may write, and each event is applied once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { foldingOf, type Folding } from '../../../domain/warehouse/fold.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import { placed } from '../../../domain/warehouse/ordinals.ts'
import type { LastEvent, ProjectionStore } from '../../../ports/projection-store.ts'
import { poolOf, sqlState, transaction } from '../connection.ts'
import { grantAll } from './grants.ts'
import { bringUpToDate, describe, quoted, tablesOf, type Place } from './schema.ts'
import {
  goBack,
  hasOrdinals,
  movePosition,
  moveReached,
  prepareState,
  readReached,
  readState,
  takeOrdinals,
} from './state.ts'
import { writeBatch } from './write-batch.ts'

export interface PostgresWarehouseStore extends ProjectionStore<WarehouseOperation> {
  /** The rows have to be rebuilt: the definitions have changed in a way that they do not follow from. @throws Unavailable */
  isOutdated(): Promise<boolean>
  /** The last event that the rows cover. @throws Unavailable */
  lastEvent(): Promise<LastEvent | undefined>
  /** Removes every row and goes back to before the first event. @throws Unavailable */
  clear(): Promise<void>
  /** A second warehouse to be built beside this one. */
  beside(): PostgresRebuilding
}

export interface PostgresRebuilding {
  readonly store: ProjectionStore<WarehouseOperation>
  /** Puts what was built in place of what is there; false when that has come further by now. */
  swap(): Promise<boolean>
  /** Removes what was built, if it was not put in place. */
  discard(): Promise<void>
}

export interface PostgresStoreOptions {
  readonly url: string
  readonly definitions: Definitions
  /** Milliseconds since 1970: when a change of the schema is noted. */
  readonly now: () => number
  readonly onTrouble?: (message: string, error: unknown) => void
}

interface Known {
  readonly catalogue: Catalogue
  readonly folding: Folding
}

/** More than PostgreSQL's `deadlock_timeout`, so that an autovacuum gives way. */
const LOCK_MS = 2_000
const SWAPS = 5
const LOCK_NOT_AVAILABLE = '55P03'

/** Does not wait for the server: each call is Unavailable while it cannot be reached. */
export function postgresWarehouseStore({
  url,
  definitions,
  now,
  onTrouble = () => {},
}: PostgresStoreOptions): PostgresWarehouseStore {
  const pool = poolOf(url, 2, (error) => onTrouble('a connection to the warehouse was lost', error))
  let known: Known | undefined

  /** Brings state and tables to the definitions, once a process. */
  const begin = async (): Promise<Known> => {
    known ??= await transaction(pool, async (client) => {
      const isOfToday = await hasOrdinals(client)
      await prepareState(client)
      if (!isOfToday) await startAgain(client)
      const before = await readState(client, 'public', true)
      const at = `${new Date(now()).toISOString().slice(0, 19)}Z`
      const { position } = before
      const { catalogue, rebuild } = evolveCatalogue(before.catalogue, definitions, { at, position })
      const text = JSON.stringify(catalogue)
      if (text !== JSON.stringify(before.catalogue)) {
        await bringUpToDate(client, 'public', catalogue)
        await describe(client, catalogue)
        const change = 'UPDATE wh_state.state SET catalogue = $1, outdated = outdated OR $2'
        await client.query(`${change} WHERE place = 'public'`, [text, rebuild])
      }
      return { catalogue, folding: foldingOf(catalogue) }
    })
    return known
  }

  const storeAt = (place: Place): ProjectionStore<WarehouseOperation> => ({
    async position() {
      await begin()
      return (await transaction(pool, (client) => readState(client, place))).position
    },
    async apply(work, upTo, last) {
      const { folding } = await begin()
      await transaction(pool, async (client) => {
        const from = (await readState(client, place, true)).position
        if (from >= upTo) return
        const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > from)
        const companies = new Set(steps.flatMap((step) => step.operations.map(({ company }) => company)))
        const reached = await readReached(client, place, [...companies])
        const operations = placed(steps, reached)
        if (operations.length > 0) await writeBatch({ client, place, folding, operations })
        await moveReached(client, place, reached)
        await movePosition(client, place, upTo, last)
      })
    },
    settled: async () => {},
    close: async () => {},
  })

  return {
    ...storeAt('public'),
    async isOutdated() {
      await begin()
      return (await transaction(pool, (client) => readState(client, 'public'))).outdated
    },
    async lastEvent() {
      await begin()
      return (await transaction(pool, (client) => readState(client, 'public'))).last
    },
    async clear() {
      const { catalogue } = await begin()
      const names = catalogue.tables.flatMap(tablesOf).map(({ name }) => `public.${quoted(name)}`)
      await transaction(pool, async (client) => {
        await readState(client, 'public', true)
        await client.query(`TRUNCATE ${names.join(', ')}`)
        await goBack(client, 'public')
      })
    },
    beside: () => besideOf(pool, begin, storeAt('wh_build')),
    close: () => pool.end(),
  }
}

/** Rows of an earlier version have no ordinals: they are written again, from the first event. */
async function startAgain(client: pg.PoolClient): Promise<void> {
  const { catalogue } = await readState(client, 'public', true)
  if (!catalogue) return
  const names = catalogue.tables.flatMap(tablesOf).map(({ name }) => `public.${quoted(name)}`)
  await client.query(`TRUNCATE ${names.join(', ')}`)
  await goBack(client, 'public')
  await describe(client, catalogue)
}

function besideOf(
  pool: pg.Pool,
  begin: () => Promise<Known>,
  built: ProjectionStore<WarehouseOperation>,
): PostgresRebuilding {
  let isClear = false
  /** What an earlier try has left is removed. */
  const clear = async () => {
    if (isClear) return
    const { catalogue } = await begin()
    await transaction(pool, async (client) => {
      await empty(client)
      await bringUpToDate(client, 'wh_build', catalogue)
    })
    isClear = true
  }
  const swap = async (): Promise<boolean> => {
    const { catalogue } = await begin()
    return transaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}`)
      const there = await readState(client, 'public', true)
      const { position, last } = await readState(client, 'wh_build', true)
      if (position < there.position) return false
      const names = catalogue.tables.flatMap(tablesOf).map(({ name }) => quoted(name))
      await client.query(
        names
          .map((name) => `DROP TABLE public.${name}; ALTER TABLE wh_build.${name} SET SCHEMA public`)
          .join(';\n'),
      )
      // Grants were of the tables that are gone.
      await grantAll(client)
      await movePosition(client, 'public', position, last)
      await takeOrdinals(client)
      await client.query(`UPDATE wh_state.state SET outdated = false WHERE place = 'public'`)
      return true
    })
  }
  return {
    store: {
      ...built,
      async position(projection) {
        await clear()
        return built.position(projection)
      },
      async apply(work, upTo, last) {
        await clear()
        await built.apply(work, upTo, last)
      },
    },
    async swap() {
      for (let i = 1; ; i++)
        try {
          return await swap()
        } catch (error) {
          // A reader holds a table: others wait behind the swap meanwhile, so it lets them pass and comes again.
          const isLocked = sqlState((error as Error).cause ?? error) === LOCK_NOT_AVAILABLE
          if (!isLocked && !(error instanceof Unavailable)) throw error
          if (i === SWAPS) throw error
          await endReaders(pool)
          await delay(LOCK_MS / 4)
        }
    },
    discard: () => transaction(pool, empty),
  }
}

/** Ends sessions that hold a table in a transaction in which they do nothing. */
async function endReaders(pool: pg.Pool): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 0) FROM pg_stat_activity
     WHERE datname = current_database() AND usename LIKE 'wh\\_%' AND state LIKE 'idle in transaction%'`,
  )
}

async function empty(client: pg.PoolClient): Promise<void> {
  const left = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'wh_build'`,
  )
  for (const { tablename } of left.rows) await client.query(`DROP TABLE wh_build.${quoted(tablename)}`)
  await goBack(client, 'wh_build')
}
