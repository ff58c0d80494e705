/**
 * Changes of whole tables, which wait for all who read them. Meanwhile others wait behind the change: so it waits for a
 * short time only, lets them pass, and comes again. Readers that hold a table for long are ended after a while.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { Unavailable } from '../../../domain/errors.ts'
import { asDomainError, transaction } from '../connection.ts'

/** More than PostgreSQL's `deadlock_timeout`, so that an autovacuum gives way. */
const LOCK_MS = 2_000
const REST_MS = { first: 500, most: 10_000 }
/** Exports read for as long as their client does. */
const MOST_MS = 15 * 60_000
/** After this long readers are ended that read for as long; before, only those that do nothing in their transaction. */
const PATIENCE_MS = 60_000

/** @throws Unavailable when it could not be done within a quarter of an hour, or is aborted */
export async function lettingReadersPass<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const began = performance.now()
  for (let rest = REST_MS.first; ; rest = Math.min(rest * 2, REST_MS.most))
    try {
      return await transaction(pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}`)
        return await work(client)
      })
    } catch (error) {
      const spent = performance.now() - began
      if (!(error instanceof Unavailable) || signal?.aborted || spent > MOST_MS) throw error
      await endReaders(pool, spent > PATIENCE_MS).catch((trouble: unknown) => {
        if (!(asDomainError(trouble) instanceof Unavailable)) throw trouble
      })
      await delay(rest, undefined, signal && { signal }).catch(() => {})
    }
}

/** Ends sessions of reading logins that hold a table in a transaction in which they do nothing, or have long done something. */
async function endReaders(pool: pg.Pool, isLate: boolean): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 0) FROM pg_stat_activity
     WHERE datname = current_database() AND usename LIKE 'wh\\_%' AND (state LIKE 'idle in transaction%'
       OR $1 AND xact_start < clock_timestamp() - $2 * interval '1 millisecond')`,
    [isLate, PATIENCE_MS],
  )
}
