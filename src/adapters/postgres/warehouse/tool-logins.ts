/**
 * Logins of tools on PostgreSQL: roles of the server, made by functions of a superuser (`deploy/postgres/warehouse.sql`). What a
 * tool sets for its own session is not trusted: sessions that last too long are ended from here.
 */
import { createHmac } from 'node:crypto'
import type pg from 'pg'
import type { Readable, ToolLoginOf, ToolLogins } from '../../../ports/tool-logins.ts'
import { asking, poolOf, serverOf, transaction, type Client } from '../connection.ts'
import { columnsRole, makeColumns, makeLogin, secretOf } from './grants.ts'
import { scramVerifier } from './scram.ts'

export interface PostgresToolLogins extends ToolLogins {
  close(): Promise<void>
}

export interface ToolLimits {
  /** Sessions of one login at a time. */
  readonly connections: number
  /** Of one statement, in ms. */
  readonly statementMs: number
  /** Idle within a transaction, which holds back the swap of tables that were rebuilt; in ms. */
  readonly idleMs: number
}

const LIMITS: ToolLimits = { connections: 5, statementMs: 300_000, idleMs: 60_000 }

export function postgresToolLogins(url: string, limits: ToolLimits = LIMITS): PostgresToolLogins {
  const pool = poolOf(url, 2, () => {})
  return {
    server: serverOf(url),
    make: (of, { password, readable }) =>
      asking(() =>
        transaction(pool, async (client) => {
          const columns = columnsRole(readable)
          await makeColumns(client, columns, readable)
          const login = await nameOf(client, of)
          const { connections, statementMs: milliseconds } = limits
          const made = { login, company: of.company, columns, connections, milliseconds }
          await makeLogin(client, { ...made, password: scramVerifier(password) })
          await client.query('SELECT wh_own.allow_columns($1, $2)', [login, columns])
          await client.query(
            'INSERT INTO wh_state.tool_logins (login, company, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
            [login, of.company, of.key],
          )
          return login
        }),
      ),
    list: () =>
      asking(async () => {
        // A new database, which the writer has not prepared yet: nothing was ever made in it.
        const there = await pool.query(`SELECT WHERE to_regclass('wh_state.tool_logins') IS NOT NULL`)
        if (there.rowCount === 0) return []
        const { rows } = await pool.query<{ login: string; company: string; key: string; ms: string }>(
          `SELECT login, company, key, floor(extract(epoch FROM made_at) * 1000) AS ms FROM wh_state.tool_logins ORDER BY key`,
        )
        return rows.map(({ login, company, key, ms }) => ({ login, company, key, madeAt: Number(ms) }))
      }),
    allow: (of, readable) => asking(() => allow(pool, of, readable)),
    drop: (of) =>
      asking(() =>
        transaction(pool, async (client) => {
          const login = await nameOf(client, of)
          await client.query('SELECT wh_own.drop_login($1)', [login])
          await client.query('DELETE FROM wh_state.tool_logins WHERE login = $1', [login])
        }),
      ),
    endLong: () =>
      asking(async () => {
        const { rowCount } = await pool.query(
          `SELECT pg_terminate_backend(pid, 0) FROM pg_stat_activity
           WHERE usename ~ '^wh_b_' AND (
             (state LIKE 'idle in transaction%' AND state_change < now() - $1 * interval '1 ms')
             OR (state = 'active' AND query_start < now() - $2 * interval '1 ms'))`,
          [limits.idleMs, limits.statementMs],
        )
        return rowCount ?? 0
      }),
    close: () => pool.end(),
  }
}

async function allow(pool: pg.Pool, of: ToolLoginOf, readable: Readable): Promise<void> {
  const columns = columnsRole(readable)
  const login = await nameOf(pool, of)
  const { rows } = await pool.query<{ columns: string }>(
    'SELECT columns FROM wh_own.logins WHERE login = $1',
    [login],
  )
  if (rows.length === 0 || rows[0]!.columns === columns) return
  await transaction(pool, async (client) => {
    await makeColumns(client, columns, readable)
    await client.query('SELECT wh_own.allow_columns($1, $2)', [login, columns])
  })
}

/** Every login can read the names of all: they are random for everyone who has not the secret. */
async function nameOf(client: Client, { company, key }: ToolLoginOf): Promise<string> {
  const secret = await secretOf(client)
  return `wh_b_${createHmac('sha256', secret).update(`tool ${company} ${key}`).digest('hex').slice(0, 24)}`
}
