/** A company's warehouse on PostgreSQL as an SQLite file: everything as of one moment. */
import type { PoolClient } from 'pg'
import { poolOf } from '../../adapters/postgres/connection.ts'
import { oneMoment, rowsOf } from '../../adapters/postgres/warehouse/read-table.ts'
import { tablesOf } from '../../adapters/postgres/warehouse/schema.ts'
import { readState } from '../../adapters/postgres/warehouse/state.ts'
import { forgetState, openWarehouseFile } from '../../adapters/sqlite/warehouse/company-file.ts'
import { quoted } from '../../adapters/sqlite/warehouse/schema.ts'
import { transaction } from '../../adapters/sqlite/files/open.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'

export interface SnapshotOf {
  readonly url: string
  readonly company: Company
  /** The file to make. */
  readonly path: string
}

/** How far the warehouse had come. @throws Unavailable when there is no warehouse yet, and errors of the driver */
export async function snapshotToFile({ url, company, path }: SnapshotOf): Promise<Position> {
  const pool = poolOf(url, 1, () => {})
  let client: PoolClient | undefined
  try {
    client = await pool.connect()
    await oneMoment(client)
    const { catalogue, position } = await readState(client, 'public')
    if (!catalogue) throw new Unavailable('the warehouse has not been built yet')
    const db = openWarehouseFile(path, catalogue)
    try {
      for (const table of catalogue.tables.flatMap(tablesOf)) {
        const names = table.columns.map(({ name }) => quoted(name))
        const insert = db.prepare(
          `INSERT INTO ${quoted(table.name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        )
        for await (const rows of rowsOf(client, company, table))
          transaction(db, () => {
            for (const row of rows)
              insert.run(...row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
          })
      }
    } finally {
      db.close()
    }
    forgetState(path)
    await client.query('COMMIT')
    return position
  } finally {
    // A pool ends only when every client is back, whatever became of it.
    client?.release(true)
    await pool.end()
  }
}
