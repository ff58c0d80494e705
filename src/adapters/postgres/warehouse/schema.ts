/**
 * The catalogue as PostgreSQL's tables: shared by all companies, the company first in every key. Every row is for whose
 * login it is (`deploy/postgres/warehouse.sql`); the service's own role sees all.
 */
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type ColumnType,
  type FixedColumn,
  type WarehouseTable,
} from '../../../domain/warehouse/columns.ts'
import type { Client } from '../connection.ts'

/** Where the tables are that are asked, and those that are built beside them. */
export type Place = 'public' | 'wh_build'

export const COMPANY = '_Company'

const DECLARED: { readonly [type in ColumnType]: string } = {
  text: 'text',
  integer: 'bigint',
  decimal: 'double precision',
  money: 'numeric',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  // Not jsonb: the text stays as it was written.
  json: 'json',
}

const COMPANY_COLUMN: FixedColumn = { name: COMPANY, type: 'text', description: "The company's Key." }

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export interface Sort {
  readonly name: string
  readonly isHistory: boolean
  /** Without the company. */
  readonly columns: readonly FixedColumn[]
  readonly key: readonly string[]
}

/** The two tables of an object. */
export function tablesOf({ name, columns }: WarehouseTable): readonly [Sort, Sort] {
  return [
    { name, isHistory: false, columns: [...CURRENT_COLUMNS, ...columns], key: ['Key'] },
    {
      name: historyName(name),
      isHistory: true,
      columns: [...HISTORY_COLUMNS, ...columns],
      key: ['Key', '_Version'],
    },
  ]
}

/** Brings the tables to the catalogue: makes what is not there, adds columns. Within the caller's transaction. */
export async function bringUpToDate(client: Client, place: Place, catalogue: Catalogue): Promise<void> {
  const there = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = $1`,
    [place],
  )
  const columnsIn = Map.groupBy(there.rows, ({ table }) => table)
  const sql: string[] = []
  for (const table of catalogue.tables) {
    for (const { name, columns, key } of tablesOf(table)) {
      const at = `${place}.${quoted(name)}`
      const known = new Set(columnsIn.get(name)?.map(({ column }) => column))
      const declared = ({ name: column, type }: FixedColumn) => `${quoted(column)} ${DECLARED[type]}`
      if (known.size === 0) {
        const all = [COMPANY_COLUMN, ...columns].map(declared)
        const primary = [COMPANY, ...key].map(quoted).join(', ')
        sql.push(`CREATE TABLE ${at} (${all.join(', ')}, PRIMARY KEY (${primary}))`)
      } else
        for (const column of columns)
          if (!known.has(column.name)) sql.push(`ALTER TABLE ${at} ADD COLUMN ${declared(column)}`)
    }
    // By these a renamed record finds those that show it; joins of analysts use them too.
    for (const { name, part, target } of table.columns)
      if (part === 'value' && target)
        sql.push(
          `CREATE INDEX IF NOT EXISTS ${quoted(`${table.name} by ${name}`.slice(0, 63))} ON ${place}.${quoted(table.name)} (${quoted(COMPANY)}, ${quoted(name)})`,
        )
  }
  if (sql.length > 0) await client.query(sql.join(';\n'))
  await secure(client, place, catalogue)
}

/** Rows only for their company, no statistics of values, and comments. Made again on tables that are new. */
async function secure(client: Client, place: Place, { tables }: Catalogue): Promise<void> {
  const open = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND NOT relrowsecurity`,
    [place],
  )
  const unsecured = new Set(open.rows.map(({ relname }) => relname))
  const sql: string[] = []
  for (const { name, columns } of tables.flatMap(tablesOf)) {
    const at = `${place}.${quoted(name)}`
    if (unsecured.has(name))
      sql.push(
        `ALTER TABLE ${at} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
        `CREATE POLICY own ON ${at} FOR SELECT TO wh_reader USING (${quoted(COMPANY)} = (SELECT wh_own.my_company()))`,
        `CREATE POLICY service ON ${at} TO CURRENT_ROLE USING (true) WITH CHECK (true)`,
      )
    // EXPLAIN's estimates would say whether another company has a value.
    const flat = columns.map(({ name: column }) => `ALTER COLUMN ${quoted(column)} SET STATISTICS 0`)
    sql.push(`ALTER TABLE ${at} ${flat.join(', ')}`)
    for (const { name: column, description } of columns)
      sql.push(`COMMENT ON COLUMN ${at}.${quoted(column)} IS ${literal(description)}`)
  }
  await client.query(sql.join(';\n'))
}

/** What the service says of its tables, for every login. */
export async function describe(client: Client, { tables, changes }: Catalogue): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS public.wh__columns (
      "TableName" text NOT NULL, "ColumnName" text NOT NULL, "Type" text NOT NULL, "Field" text, "Description" text NOT NULL,
      "Unit" text, "IsPersonal" boolean NOT NULL, "IsCurrent" boolean NOT NULL, PRIMARY KEY ("TableName", "ColumnName"));
    CREATE TABLE IF NOT EXISTS public.wh__schema_log (
      "Entry" integer PRIMARY KEY, "At" timestamptz NOT NULL, "TableName" text NOT NULL,
      "ColumnName" text, "Change" text NOT NULL, "Note" text NOT NULL);
    ALTER TABLE public.wh__schema_log DROP COLUMN IF EXISTS "Position";
    DELETE FROM public.wh__columns; DELETE FROM public.wh__schema_log;
    GRANT SELECT ON public.wh__columns, public.wh__schema_log TO wh_reader`)
  const columns = tables.flatMap((table) => {
    const own = new Map(table.columns.map((column) => [column.name, column]))
    return tablesOf(table).flatMap(({ name, columns: all }) =>
      all.map(({ name: column, type, description, personal = false }) => {
        const { field = null, unit = null, current = true } = own.get(column) ?? {}
        return { name, column, type, field, description, unit, personal, current }
      }),
    )
  })
  await client.query(
    `INSERT INTO public.wh__columns SELECT name, "column", type, field, description, unit, personal, current
     FROM json_to_recordset($1) AS r(name text, "column" text, type text, field text, description text, unit text, personal boolean, current boolean)`,
    [JSON.stringify(columns)],
  )
  await client.query(
    `INSERT INTO public.wh__schema_log SELECT entry, at, "table", nullif("column", ''), change, note
     FROM json_to_recordset($1) AS r(entry integer, at timestamptz, "table" text, "column" text, change text, note text)`,
    [JSON.stringify(changes.map((change, i) => ({ entry: i + 1, ...change })))],
  )
}
