/** How the warehouse on PostgreSQL stands, and what operators ask of the process that writes it: rows that it looks for. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { Conflict, Unavailable } from '../../../domain/errors.ts'
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { asking, poolOf } from '../connection.ts'

export interface PostgresControl extends ProjectionControl {
  close(): Promise<void>
}

export interface Order {
  readonly command: 'rebuild' | 'resume'
  readonly projection: string
}

const NAME = 'warehouse'
const LOOK_MS = 50
/** The process that writes looks for orders every second. */
const TAKEN_MS = 5_000

export function postgresControl(url: string): PostgresControl {
  const pool = poolOf(url, 1, () => {})
  const status = (): Promise<readonly ProjectionStatus[]> => asking(() => statusOf(pool))
  const order = (command: Order['command'], projection: string): Promise<void> =>
    asking(async () => {
      const { rows } = await pool.query<{ entry: string }>(
        'INSERT INTO wh_state.orders (command, projection) VALUES ($1, $2) RETURNING entry',
        [command, projection],
      )
      const isWaiting = async () =>
        (await pool.query('SELECT FROM wh_state.orders WHERE entry = $1', [rows[0]!.entry])).rowCount
      for (const until = performance.now() + TAKEN_MS; await isWaiting(); await delay(LOOK_MS)) {
        if (performance.now() < until) continue
        await pool.query('DELETE FROM wh_state.orders WHERE entry = $1', [rows[0]!.entry])
        throw new Unavailable('no process with the role projections writes the warehouse now')
      }
    })
  return {
    status,
    async rebuild(projection) {
      if ((await status()).some(({ state }) => state === 'rebuilding'))
        throw new Conflict(`${projection} is being rebuilt already`)
      await order('rebuild', projection)
    },
    resume: (projection) => order('resume', projection),
    close: () => pool.end(),
  }
}

async function statusOf(pool: pg.Pool): Promise<readonly ProjectionStatus[]> {
  const { rows } = await pool.query<{ position: string; statuses: string | null }>(
    `SELECT position, statuses FROM wh_state.state WHERE place = 'public'`,
  )
  const [found] = rows
  if (!found) throw new Unavailable('the warehouse has not been built yet')
  const [published] = found.statuses ? (JSON.parse(found.statuses) as ProjectionStatus[]) : []
  return [{ ...(published ?? { name: NAME, state: 'live' }), position: Number(found.position) }]
}

export interface PostgresOrders {
  /** The next order, which is then gone; undefined: there is none. */
  take(): Promise<Order | undefined>
  /** Shows every process how the projection stands. */
  publish(statuses: readonly ProjectionStatus[]): Promise<void>
  close(): Promise<void>
}

export function postgresOrders(url: string): PostgresOrders {
  const pool = poolOf(url, 1, () => {})
  let published = ''
  return {
    async take() {
      const { rows } = await pool.query<{ command: Order['command']; projection: string }>(
        `DELETE FROM wh_state.orders WHERE entry = (
           SELECT entry FROM wh_state.orders ORDER BY entry LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING command, projection`,
      )
      return rows[0]
    },
    async publish(statuses) {
      // The position has a column of its own.
      const text = JSON.stringify(statuses.map((status) => ({ ...status, position: 0 })))
      if (text === published) return
      await pool.query(`UPDATE wh_state.state SET statuses = $1 WHERE place = 'public'`, [text])
      published = text
    },
    close: () => pool.end(),
  }
}
