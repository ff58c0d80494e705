/**
 * The warehouse on PostgreSQL, compared while others write: each company's rows are copied as of one moment, with the
 * position that they are of, and a warehouse that is built from nothing is brought to that position.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { poolOf, transaction } from '../../src/adapters/postgres/connection.ts'
import { postgresControl } from '../../src/adapters/postgres/warehouse/control.ts'
import { COMPANY, quoted } from '../../src/adapters/postgres/warehouse/schema.ts'
import { readState } from '../../src/adapters/postgres/warehouse/state.ts'
import { openWarehouseFile } from '../../src/adapters/sqlite/warehouse/company-file.ts'
import { snapshotToFile } from '../../src/compose/warehouse/snapshot.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { arrivalOf } from './arrival.ts'
import { buildBy } from './follow-warehouse.ts'
import type { Log } from './log.ts'
import { logTotals } from './log-totals.ts'
import { verifyCompany, type VerifiedTable } from './verify-company.ts'

export interface PostgresOf {
  readonly url: string
  readonly definitions: Definitions
  readonly log: Log
  /** An empty folder. */
  readonly scratch: string
}

/** A copy notes how far all companies have come, a file its own last event. */
const NOT_COMPARED = ['wh__state', 'wh__actors']

/** @throws Error when it has to be rebuilt before it can be compared, or cannot be reached */
export async function verifyPostgres({
  url,
  definitions,
  log,
  scratch,
}: PostgresOf): Promise<VerifiedTable[]> {
  const control = postgresControl(url)
  try {
    await arrivalOf(control.status, await log.head())
    const { catalogue, companies } = await kept(url)
    const folder = join(scratch, 'rebuilt')
    const rebuilt = buildBy(catalogue, { folder, definitions, log })
    const totals = logTotals(definitions, catalogue)
    const tables: VerifiedTable[] = []
    try {
      await rebuilt.bringTo(await log.head(), totals.take)
      for (const company of [...new Set([...totals.companies(), ...companies])].sort()) {
        const copy = join(scratch, `${company}.db`)
        const position = await snapshotToFile({ url, company, path: copy })
        await rebuilt.bringTo(position, totals.take)
        const other = join(folder, `${company}.db`)
        if (!existsSync(other)) openWarehouseFile(other, catalogue).close()
        const files = [copy, other] as const
        tables.push(
          ...verifyCompany({ company, files, definitions, catalogue, totals, notCompared: NOT_COMPARED }),
        )
      }
      return tables
    } finally {
      await rebuilt.close()
    }
  } finally {
    await control.close()
  }
}

async function kept(url: string): Promise<{ catalogue: Catalogue; companies: readonly string[] }> {
  const pool = poolOf(url, 1, () => {})
  try {
    return await transaction(pool, async (client) => {
      const { catalogue, outdated } = await readState(client, 'public')
      if (!catalogue) throw new Error('this PostgreSQL has no warehouse')
      if (outdated)
        throw new Error('the warehouse has to be rebuilt by its definitions: let the service do so')
      const all = catalogue.tables.map(
        ({ name }) => `SELECT ${quoted(COMPANY)} AS company FROM ${quoted(name)}`,
      )
      const { rows } = await client.query<{ company: string }>(all.join(' UNION '))
      return { catalogue, companies: rows.map(({ company }) => company) }
    })
  } finally {
    await pool.end()
  }
}
