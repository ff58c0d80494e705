/** Everything that the warehouse has of a company, as of one moment, passed on to what keeps it. */
import type { PoolClient } from 'pg'
import { Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Cell } from '../../../domain/warehouse/columns.ts'
import { poolOf } from '../connection.ts'
import { oneMoment, rowsOf } from '../warehouse/read-table.ts'
import { tablesOf } from '../warehouse/schema.ts'
import { readState } from '../warehouse/state.ts'

export interface CompanyWriter {
  /** Adds rows, with their cells in the order of the columns. */
  table(name: string, columns: readonly string[]): (rows: readonly (readonly Cell[])[]) => void
  /** Whatever became of it. */
  close(): void
}

export interface CompanyOf {
  readonly url: string
  readonly company: Company
}

/** How far the warehouse had come. @throws Unavailable when there is no warehouse yet, and errors of the driver */
export async function readCompany(
  { url, company }: CompanyOf,
  writerOf: (catalogue: Catalogue) => CompanyWriter,
): Promise<Position> {
  const pool = poolOf(url, 1, () => {})
  let client: PoolClient | undefined
  try {
    client = await pool.connect()
    await oneMoment(client)
    const { catalogue, position } = await readState(client, 'public')
    if (!catalogue) throw new Unavailable('the warehouse has not been built yet')
    const writer = writerOf(catalogue)
    try {
      for (const table of catalogue.tables.flatMap(tablesOf)) {
        const add = writer.table(
          table.name,
          table.columns.map(({ name }) => name),
        )
        for await (const rows of rowsOf(client, company, table)) add(rows)
      }
    } finally {
      writer.close()
    }
    await client.query('COMMIT')
    return position
  } finally {
    // A pool ends only when every client is back, whatever became of it.
    client?.release(true)
    await pool.end()
  }
}
