/**
 * The warehouse on PostgreSQL as its projection writes it. The checkpoint is in the same transaction as the rows that it
 * covers, and its row is locked first: several processes may write, and each event is applied once.
 */
import type { Pool, PoolClient } from 'pg'
import type { Definitions } from '../../../domain/definition.ts'
import { evolveCatalogue } from '../../../domain/warehouse/catalogue.ts'
import { foldingOf } from '../../../domain/warehouse/fold.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import { placed } from '../../../domain/warehouse/ordinals.ts'
import { refuseGap, type LastEvent, type ProjectionStore } from '../../../ports/projection-store.ts'
import { poolOf, transaction } from '../connection.ts'
import { besideOf, type PostgresRebuilding } from './beside.ts'
import { isSuperseded, requireOwnCatalogue, type Known } from './own-catalogue.ts'
import { bringUpToDate, describe, quoted, tablesOf, type Place } from './schema.ts'
import {
  goBack,
  hasOrdinals,
  movePosition,
  moveReached,
  prepareState,
  readReached,
  readState,
  type State,
} from './state.ts'
import { lettingReadersPass } from './table-locks.ts'
import { nameActors } from './actors.ts'
import { writeBatch } from './write-batch.ts'

export interface PostgresWarehouseStore extends ProjectionStore<WarehouseOperation> {
  /** The rows have to be rebuilt: the definitions have changed in a way that they do not follow from. @throws Unavailable */
  isOutdated(): Promise<boolean>
  /**
   * What is known of a rebuild that some process has begun and not ended: another text whenever it has come further.
   * Undefined where there is none, or the rows are of other definitions. @throws Unavailable
   */
  begunRebuild(): Promise<string | undefined>
  /** Whether a process with other definitions, which was started later, writes in place of this one. @throws Unavailable */
  isSuperseded(): Promise<boolean>
  /** The last event that the rows cover. @throws Unavailable */
  lastEvent(): Promise<LastEvent | undefined>
  /**
   * Removes every row and goes back to before the first event, if this is still the last event that they cover: another
   * process may have done it already. @throws Unavailable
   */
  clear(stray: LastEvent): Promise<void>
  /** A second warehouse to be built beside this one. */
  beside(): PostgresRebuilding
}

export interface PostgresStoreOptions {
  readonly url: string
  readonly definitions: Definitions
  /** Milliseconds since 1970: when a change of the schema is noted. */
  readonly now: () => number
  readonly onTrouble?: (message: string, error: unknown) => void
}

/** Does not wait for the server: each call is Unavailable while it cannot be reached. */
export function postgresWarehouseStore({
  url,
  definitions,
  now,
  onTrouble = () => {},
}: PostgresStoreOptions): PostgresWarehouseStore {
  const pool = poolOf(url, 2, (error) => onTrouble('a connection to the warehouse was lost', error), {
    writes: true,
  })
  const begin = preparing(pool, definitions, now)

  /** `check`: called with the state that is locked, before anything is written. */
  const storeAt = (
    place: Place,
    check: (there: State, known: Known) => void,
  ): ProjectionStore<WarehouseOperation> => ({
    async position() {
      await begin()
      return (await transaction(pool, (client) => readState(client, place))).position
    },
    async apply(work, upTo, last) {
      const own = await begin()
      const { folding } = own
      await transaction(pool, async (client) => {
        const there = await readState(client, place, true)
        check(there, own)
        const from = there.position
        if (from >= upTo) return
        for (const one of work) refuseGap(one, from)
        const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > from)
        const companies = new Set(steps.flatMap((step) => step.operations.map(({ company }) => company)))
        const reached = await readReached(client, place, [...companies])
        const due = placed(steps, reached)
        const actorName = await nameActors({ client, place, folding }, due)
        const { operations } = due
        if (operations.length > 0) await writeBatch({ client, place, folding, operations, actorName })
        await moveReached(client, place, reached)
        await movePosition(client, place, upTo, last)
      })
    },
    settled: async () => {},
    close: async () => {},
  })

  return {
    ...storeAt('public', requireOwnCatalogue),
    async isOutdated() {
      await begin()
      return (await transaction(pool, (client) => readState(client, 'public'))).outdated
    },
    async begunRebuild() {
      const { text } = await begin()
      return await transaction(pool, async (client) => {
        const [there, beside] = [await readState(client, 'public'), await readState(client, 'wh_build')]
        const isOurs = there.outdated && there.catalogueText === text && beside.builder !== undefined
        return isOurs ? `${beside.builder} ${beside.position}` : undefined
      })
    },
    isSuperseded: async () => transaction(pool, isSuperseded(await begin())),
    async lastEvent() {
      await begin()
      return (await transaction(pool, (client) => readState(client, 'public'))).last
    },
    async clear(stray) {
      const { catalogue } = await begin()
      const names = catalogue.tables.flatMap(tablesOf).map(({ name }) => `public.${quoted(name)}`)
      await lettingReadersPass(pool, async (client) => {
        const { last } = await readState(client, 'public', true)
        if (last?.id !== stray.id) return
        await client.query(`TRUNCATE ${names.join(', ')}`)
        await goBack(client, 'public')
      })
    },
    beside: () => besideOf({ pool, begin, storeAt: (check) => storeAt('wh_build', check) }),
    close: () => pool.end(),
  }
}

/** Rows of an earlier version have no ordinals: they are written again, from the first event. */
async function startAgain(client: PoolClient): Promise<void> {
  const { catalogue } = await readState(client, 'public', true)
  if (!catalogue) return
  const names = catalogue.tables.flatMap(tablesOf).map(({ name }) => `public.${quoted(name)}`)
  await client.query(`TRUNCATE ${names.join(', ')}`)
  await goBack(client, 'public')
  await describe(client, catalogue)
}

/** Brings state and tables to the definitions, once a process. */
function preparing(pool: Pool, definitions: Definitions, now: () => number): () => Promise<Known> {
  let known: Known | undefined
  return async () => {
    known ??= await transaction(pool, async (client) => {
      await client.query('SET LOCAL lock_timeout = 2000')
      const isOfToday = await hasOrdinals(client)
      await prepareState(client)
      if (!isOfToday) await startAgain(client)
      const before = await readState(client, 'public', true)
      const at = timestampOf(now())
      const { position } = before
      const { catalogue, rebuild } = evolveCatalogue(before.catalogue, definitions, { at, position })
      const text = JSON.stringify(catalogue)
      if (text !== JSON.stringify(before.catalogue)) {
        await bringUpToDate(client, 'public', catalogue)
        await describe(client, catalogue)
        const change = 'UPDATE wh_state.state SET catalogue = $1, outdated = outdated OR $2'
        await client.query(`${change} WHERE place = 'public'`, [text, rebuild])
      }
      return { catalogue, text, folding: foldingOf(catalogue) }
    })
    return known
  }
}
