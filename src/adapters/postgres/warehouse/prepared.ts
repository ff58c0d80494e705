/** Whether the database is prepared as `deploy/postgres/warehouse.sql` prepares it, by its functions and what it has revoked. */
import type { Client } from '../connection.ts'

const MADE = [
  'wh_own.make_columns(text)',
  'wh_own.make_login(text,text,text,text,integer,integer)',
  'wh_own.allow_columns(text,text)',
  'wh_own.drop_login(text)',
  'wh_own.my_company()',
]
/** One of each kind that a reading login could disturb or watch others with. */
const REVOKED = [
  'pg_advisory_lock(bigint)',
  'lo_create(oid)',
  'pg_notify(text,text)',
  'set_config(text,text,boolean)',
  'pg_sleep(double precision)',
  'pg_export_snapshot()',
  'pg_stat_get_live_tuples(oid)',
  'query_to_xml(text,boolean,boolean,text)',
  'pg_cancel_backend(integer)',
]

/** What is not as it should be, in words for the operator; empty: everything is. */
export async function unprepared(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ fault: string }>(
    `SELECT 'there is no function ' || f AS fault FROM unnest($1::text[]) f WHERE to_regprocedure(f) IS NULL
     UNION ALL
     SELECT 'logins may execute ' || f FROM unnest($2::text[]) f
     WHERE to_regprocedure(f) IS NOT NULL AND has_function_privilege('wh_reader', f, 'EXECUTE')`,
    [MADE, REVOKED],
  )
  return rows.map(({ fault }) => fault)
}
