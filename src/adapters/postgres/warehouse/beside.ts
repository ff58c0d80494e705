/**
 * A second warehouse, built beside the one that is served and then put in its place. There is one such place for all
 * processes: the one that began last builds, and another that finds so gives up.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import type { ProjectionStore } from '../../../ports/projection-store.ts'
import { transaction } from '../connection.ts'
import { grantAll } from './grants.ts'
import { requireOwnCatalogue, type Known } from './own-catalogue.ts'
import { bringUpToDate, quoted, tablesOf } from './schema.ts'
import { goBack, movePosition, readState, takeBuilt, type State } from './state.ts'
import { lettingReadersPass } from './table-locks.ts'

export interface PostgresRebuilding {
  readonly store: ProjectionStore<WarehouseOperation>
  /**
   * Puts what was built in place of what is there; false when that has come further by now.
   * @throws Unavailable when readers do not let it, or it is aborted
   */
  swap(signal?: AbortSignal): Promise<boolean>
  /** Removes what was built, if it was not put in place. */
  discard(): Promise<void>
}

export interface BesideOptions {
  readonly pool: pg.Pool
  readonly begin: () => Promise<Known>
  readonly storeAt: (check: (there: State) => void) => ProjectionStore<WarehouseOperation>
}

export function besideOf({ pool, begin, storeAt }: BesideOptions): PostgresRebuilding {
  const builder = randomUUID()
  const requireOwn = (there: State) => {
    if (there.builder !== builder) throw new Error('another process builds the warehouse')
  }
  const built = storeAt(requireOwn)
  let isClear = false
  /** What an earlier try has left is removed, or another process has begun. */
  const clear = async () => {
    if (isClear) return
    const { catalogue } = await begin()
    await transaction(pool, async (client) => {
      await readState(client, 'wh_build', true)
      await empty(client, builder)
      await bringUpToDate(client, 'wh_build', catalogue)
    })
    isClear = true
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
    async swap(signal) {
      const known = await begin()
      const names = known.catalogue.tables.flatMap(tablesOf).map(({ name }) => quoted(name))
      let wasTried = false
      const put = async (client: pg.PoolClient): Promise<boolean> => {
        const there = await readState(client, 'public', true)
        const own = await readState(client, 'wh_build', true)
        // The answer to the try before was lost.
        if (wasTried && own.builder === undefined) return true
        wasTried = true
        requireOwn(own)
        requireOwnCatalogue(there, known)
        const { position, last } = own
        if (position < there.position) return false
        const move = (name: string) =>
          `DROP TABLE public.${name}; ALTER TABLE wh_build.${name} SET SCHEMA public`
        await client.query(names.map(move).join(';\n'))
        // Grants were of the tables that are gone.
        await grantAll(client)
        await movePosition(client, 'public', position, last)
        await takeBuilt(client)
        await client.query(`UPDATE wh_state.state SET outdated = false WHERE place = 'public'`)
        await empty(client, null)
        return true
      }
      return lettingReadersPass(pool, put, signal)
    },
    discard: () =>
      transaction(pool, async (client) => {
        const there = await readState(client, 'wh_build', true)
        if (there.builder === builder) await empty(client, null)
      }),
  }
}

/** @param builder who builds from now on */
async function empty(client: pg.PoolClient, builder: string | null): Promise<void> {
  const left = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'wh_build'`,
  )
  for (const { tablename } of left.rows) await client.query(`DROP TABLE wh_build.${quoted(tablename)}`)
  await goBack(client, 'wh_build')
  await client.query(`UPDATE wh_state.state SET builder = $1 WHERE place = 'wh_build'`, [builder])
}
