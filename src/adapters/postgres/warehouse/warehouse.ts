/** The warehouse as analysts ask it, on PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { NotYet, Unavailable } from '../../../domain/errors.ts'
import { fairTurns } from '../../../domain/fair-turns.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { tableInfosOf, type TableInfo } from '../../../domain/warehouse/table-infos.ts'
import type { ByteStream, ExportFormat, Warehouse } from '../../../ports/warehouse.ts'
import { asking, poolOf } from '../connection.ts'
import { loginsOf } from './grants.ts'
import { unprepared } from './prepared.ts'
import { askQuestion } from './questions.ts'
import { COMPANY, literal, quoted } from './schema.ts'
import { readReached, readState, type State } from './state.ts'

export interface PostgresWarehouseOptions {
  readonly url: string
  /** By the definitions of this process: what is shown until the server is reached. */
  readonly catalogue: Catalogue
  readonly stream: (of: {
    readonly company: Company
    readonly table: TableInfo
    readonly format: ExportFormat
  }) => ByteStream
  readonly snapshot: (company: Company) => ReturnType<Warehouse['snapshot']>
  readonly onTrouble: (message: string, error: unknown) => void
  /** Longest that a question may take. */
  readonly queryMs?: number
}

const CONNECTIONS = 4
const QUERY_MS = 5_000
const LIMITS = { rows: 10_000, characters: 10_000_000 }
const TURNS = { atOnce: 2, waiting: { own: 10, all: 50 }, full: 'too many questions are waiting' }
const LOOK_MS = 25

export function postgresWarehouse({
  url,
  catalogue: first,
  stream,
  snapshot,
  onTrouble,
  queryMs = QUERY_MS,
}: PostgresWarehouseOptions): Warehouse {
  const pool = poolOf(url, CONNECTIONS, (error) => onTrouble('a connection to the warehouse was lost', error))
  const limits = { ...LIMITS, milliseconds: queryMs }
  const logins = loginsOf(pool, queryMs)
  const turns = fairTurns(TURNS)
  let tables: readonly TableInfo[] = first.tables.flatMap(tableInfosOf)
  let listed = ''

  const readChecked = checkedState(pool, onTrouble)
  const look = (): Promise<State> =>
    asking(async () => {
      const state = await readChecked()
      if (!state.catalogue) throw new NotYet('the warehouse is being built')
      const text = JSON.stringify(state.catalogue)
      if (text !== listed) tables = state.catalogue.tables.flatMap(tableInfosOf)
      listed = text
      return state
    })
  const end = (pid: number) => pool.query('SELECT pg_terminate_backend($1, 0)', [pid]).then(() => {})

  return {
    get tables() {
      return tables
    },
    async reached(_company, at, timeoutMs) {
      for (const until = performance.now() + timeoutMs; ; await delay(LOOK_MS)) {
        if ((await positionOf(look)) >= at) return true
        if (performance.now() > until) return false
      }
    },
    contents: (company) =>
      asking(async () => {
        await look()
        const counts = tables.map(
          ({ name }) =>
            `SELECT ${literal(name)} AS name, count(*) AS n FROM public.${quoted(name)} WHERE ${quoted(COMPANY)} = $1`,
        )
        const found = await pool.query<{ name: string; n: string }>(counts.join(' UNION ALL '), [company])
        const rows = Object.fromEntries(found.rows.map(({ name, n }) => [name, Number(n)]))
        const reached = await readReached(pool, 'public', [company])
        return { rows, ordinal: reached.get(company)?.ordinal ?? 0 }
      }),
    async export(company, { table: name, columns, format }) {
      await look()
      const table = tables.find((one) => one.name === name)
      const chosen = columns.map((column) => table?.columns.find((one) => one.name === column))
      if (!table || !chosen.every((column) => column !== undefined))
        throw new Error(`the warehouse has no such table or column: ${name}`)
      return stream({ company, table: { ...table, columns: chosen }, format })
    },
    async snapshot(company) {
      await look()
      return snapshot(company)
    },
    async query(company, { sql, readable, rows = LIMITS.rows }) {
      await look()
      return turns.run(company, () =>
        askQuestion({ url, company, logins, limits: { ...limits, rows }, tables, end, sql, readable }),
      )
    },
    async close() {
      turns.refuseAll(new Unavailable('the warehouse is closed'))
      await pool.end()
    },
  }
}

/** 0 while the server cannot be reached. */
const positionOf = (look: () => Promise<State>): Promise<Position> =>
  look().then(
    ({ position }) => position,
    () => 0,
  )

/** Reads the state; says once, when the server is first reached, what is not prepared. */
function checkedState(pool: pg.Pool, onTrouble: PostgresWarehouseOptions['onTrouble']): () => Promise<State> {
  let isChecked = false
  return async () => {
    const state = await readState(pool, 'public')
    if (isChecked) return state
    isChecked = true
    const faults = await unprepared(pool).catch((error: unknown) => [String(error)])
    if (faults.length > 0)
      onTrouble('the database is not prepared: run deploy/postgres/warehouse.sql again', faults)
    return state
  }
}
