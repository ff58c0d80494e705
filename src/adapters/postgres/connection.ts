/**
 * Connections to PostgreSQL. Values are read as PostgreSQL writes them, as text, in UTC: the driver's own parsers are slow,
 * and would read dates in local time.
 */
import pg from 'pg'
import { Unavailable } from '../../domain/errors.ts'

const AS_TEXT = { getTypeParser: () => (text: string) => text }
const CONNECT_MS = 3_000
const OPTIONS = '-c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1'

export type Client = pg.Pool | pg.PoolClient | pg.Client

export interface Login {
  readonly user: string
  readonly password: string
}

/** What the URL names. */
export function serverOf(url: string): {
  readonly host: string
  readonly port: number
  readonly database: string
} {
  const { hostname, port, pathname } = new URL(url)
  return {
    host: decodeURIComponent(hostname.replace(/^\[|\]$/g, '')),
    port: port === '' ? 5432 : Number(port),
    database: decodeURIComponent(pathname.slice(1)) || 'daybook',
  }
}

function configOf(url: string, login?: Login): pg.ClientConfig {
  const { username, password, searchParams } = new URL(url)
  const ssl = searchParams.get('sslmode')
  return {
    ...serverOf(url),
    user: login?.user ?? decodeURIComponent(username),
    password: login?.password ?? decodeURIComponent(password),
    // Always with the certificate verified: without that, encryption keeps out only those who merely listen.
    ...((ssl === 'require' || ssl === 'verify-full') && { ssl: true }),
    application_name: 'daybook',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: OPTIONS,
    types: AS_TEXT,
  }
}

/**
 * For what writes: a server that says nothing is given up, and one that lost sight of the client lets go of its locks, so
 * that another process can go on.
 */
const WRITING = {
  query_timeout: 120_000,
  options: `${OPTIONS} -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000 -c client_connection_check_interval=10000`,
}

/** Connections of the service's own role. Nothing is connected before the first use. */
export function poolOf(
  url: string,
  most: number,
  onTrouble: (error: Error) => void,
  { writes = false }: { readonly writes?: boolean } = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...configOf(url),
    max: most,
    idleTimeoutMillis: 0,
    ...(writes && WRITING),
  })
  // Of connections that nobody uses at the moment: the next use opens another.
  pool.on('error', onTrouble)
  // And of those that are in use: the call that waits for an answer rejects. Without a listener the thread would end.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A connection of its own, as a login that can only read. @throws Error of the driver */
export async function connectAs(url: string, login: Login): Promise<pg.Client> {
  const client = new pg.Client(configOf(url, login))
  client.on('error', () => {}) // the call that waits for an answer rejects
  await client.connect()
  return client
}

/** Runs `work` as one transaction; on any error nothing of it remains. */
export async function transaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient | undefined
  try {
    client = await pool.connect()
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // What its session has made may be gone with the transaction: it is not used again.
    client?.release(true)
    throw asDomainError(error)
  }
}

/** Classes of SQLSTATE that say nothing of the statement: connection, resources, operator intervention, I/O, damage. */
const TROUBLE = /^(08(?!P01)|53|57P|58|XX|25006|40001|40P01|55P03|28)/

export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Trouble of the server or the way to it: the same work may succeed later. */
export function isTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = sqlState(error)
  if (code.length === 5 && !code.startsWith('E')) return TROUBLE.test(code)
  // The driver's own, and those of the socket.
  return code !== '' || /connect|terminated|timeout|closed/i.test(error.message)
}

/** @throws what the ports name, such as Unavailable, in place of the driver’s errors */
export async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw asDomainError(error)
  }
}

export function asDomainError(error: unknown): unknown {
  return isTrouble(error)
    ? new Unavailable(`the warehouse cannot be reached (${(error as Error).message})`)
    : error
}
