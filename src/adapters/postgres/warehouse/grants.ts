/**
 * Which columns logins may read. A set of columns is a role without a login, named by a hash: it holds the grants, and logins
 * are members of it. A table takes some 2,400 such roles, so that logins themselves are never granted anything.
 */
import { createHash, createHmac } from 'node:crypto'
import type pg from 'pg'
import { Unavailable } from '../../../domain/errors.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { Readable } from '../../../ports/tool-logins.ts'
import { sqlState, transaction, type Client, type Login } from '../connection.ts'
import { COMPANY, quoted } from './schema.ts'

export interface Logins {
  /** A login of the service's own, for this company and these columns; made when it is not there. @throws Unavailable */
  for(company: Company, readable: Readable): Promise<Login>
  /** The login was not let in: it is made again the next time. */
  forget(login: Login): void
}

const CONNECTIONS = 10

export function loginsOf(pool: pg.Pool, milliseconds: number): Logins {
  const made = new Set<string>()
  let secret: string | undefined
  return {
    async for(company, readable) {
      secret ??= await secretOf(pool)
      const keyed = (text: string) => createHmac('sha256', secret!).update(text).digest('hex')
      const columns = columnsRole(readable)
      // Every login can read the names of all: none of them may name a company.
      const user = `wh_a_${keyed(`login ${company} ${columns}`).slice(0, 24)}`
      const password = keyed(`password ${user}`)
      if (!made.has(user))
        await transaction(pool, async (client) => {
          await makeColumns(client, columns, readable)
          await makeLogin(client, {
            login: user,
            password,
            company,
            columns,
            connections: CONNECTIONS,
            milliseconds,
          })
        })
      made.add(user)
      return { user, password }
    },
    forget: ({ user }) => void made.delete(user),
  }
}

/** Random, of the database: what is derived from it cannot be guessed. */
export async function secretOf(client: Client): Promise<string> {
  const found = await client.query<{ secret: string }>(
    `SELECT encode(secret, 'hex') AS secret FROM wh_own.secret`,
  )
  return found.rows[0]!.secret
}

export interface MadeLogin {
  readonly login: string
  readonly password: string
  readonly company: Company
  /** The set of columns that it may read. */
  readonly columns: string
  /** At most, at a time. */
  readonly connections: number
  /** Of a statement, unless the session sets another time. */
  readonly milliseconds: number
}

/** Makes the login, or gives it this password. */
export async function makeLogin(client: Client, made: MadeLogin): Promise<void> {
  const { login, password, company, columns, connections, milliseconds } = made
  const values = [login, password, company, columns, connections, milliseconds]
  await client.query('SELECT wh_own.make_login($1, $2, $3, $4, $5, $6)', values)
}

/** The same for the same tables and columns, in whatever order. */
export function columnsRole(readable: Readable): string {
  const sorted = Object.entries(readable)
    .map(([table, columns]) => [table, columns.toSorted()] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `wh_s_${createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32)}`
}

/** @throws Unavailable in a new database, whose tables the writer has not made yet */
export async function makeColumns(client: Client, columns: string, readable: Readable): Promise<void> {
  try {
    await grantColumns(client, columns, readable)
  } catch (error) {
    throw sqlState(error) === NO_TABLE ? new Unavailable('the warehouse has no tables yet') : error
  }
}

const NO_TABLE = '42P01'

async function grantColumns(client: Client, columns: string, readable: Readable): Promise<void> {
  const known = await client.query('SELECT FROM wh_state.grants WHERE columns = $1', [columns])
  if (known.rowCount) return
  await client.query('SELECT wh_own.make_columns($1)', [columns])
  await client.query('INSERT INTO wh_state.grants VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    columns,
    JSON.stringify(readable),
  ])
  await client.query(grantsOf(columns, readable))
}

/** Grants everything to everyone who has it once more: on tables that are new. */
export async function grantAll(client: Client): Promise<void> {
  // One that is being made waits, and grants on the new tables.
  await client.query('LOCK TABLE wh_state.grants IN SHARE ROW EXCLUSIVE MODE')
  const all = await client.query<{ columns: string; readable: string }>(
    'SELECT columns, readable FROM wh_state.grants',
  )
  for (const { columns, readable } of all.rows)
    await client.query(grantsOf(columns, JSON.parse(readable) as Readable))
}

function grantsOf(columns: string, readable: Readable): string {
  return Object.entries(readable)
    .map(([table, names]) => {
      const list = [COMPANY, ...names].map(quoted).join(', ')
      return `GRANT SELECT (${list}) ON public.${quoted(table)} TO ${quoted(columns)}`
    })
    .join(';\n')
}
