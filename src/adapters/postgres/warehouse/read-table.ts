/** One company's rows of tables, some at a time, from a cursor: all of them as of one moment. */
import type { Company } from '../../../domain/events/event.ts'
import type { Cell, ColumnType } from '../../../domain/warehouse/columns.ts'
import type { Client } from '../connection.ts'
import { COMPANY, literal, quoted } from './schema.ts'
import { cellOf } from './write-batch.ts'

export interface TableOf {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly isHistory: boolean
}

const ROWS = 2_000

/** To be called before the rows of all tables that belong together; `client.query('COMMIT')` ends it. */
export async function oneMoment(client: Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
}

/** In the order of the keys. */
export async function* rowsOf(
  client: Client,
  company: Company,
  { name, columns, isHistory }: TableOf,
): AsyncGenerator<Cell[][]> {
  const list = columns.map((column) => quoted(column.name)).join(', ')
  const order = isHistory ? '"Key", "_Version"' : '"Key"'
  await client.query(
    `DECLARE export NO SCROLL CURSOR FOR SELECT ${list} FROM public.${quoted(name)} WHERE ${quoted(COMPANY)} = ${literal(company)} ORDER BY ${order}`,
  )
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${ROWS} FROM export`,
      rowMode: 'array',
    })
    if (rows.length > 0) yield rows.map((row) => row.map((text, i) => cellOf(columns[i]!.type, text)))
    if (rows.length < ROWS) break
  }
  await client.query('CLOSE export')
}
