/** Who may do something, by name: kept beside the tables, and shown in histories under the name of now. */
import type { Company } from '../../../domain/events/event.ts'
import { rowId, type Folding } from '../../../domain/warehouse/fold.ts'
import type { Due } from '../../../domain/warehouse/ordinals.ts'
import type { Client } from '../connection.ts'
import { COMPANY, quoted, tablesOf, type Place } from './schema.ts'

/** The name of who did something; the Key again where there is none. */
export type ActorName = (company: Company, actor: string) => string

export interface Naming {
  readonly client: Client
  readonly place: Place
  readonly folding: Folding
}

/** Keeps new names, also in what was done before, and answers with the names of all who did something now. */
export async function nameActors(naming: Naming, { operations, named }: Due): Promise<ActorName> {
  const { client, place } = naming
  // Of several names of one actor the last.
  const last = new Map(named.map((one) => [rowId(one.company, one.actor), one]))
  const rows = [...last.values()].map(({ company, actor, name }) => ({ company, key: actor, name }))
  if (rows.length > 0)
    await client.query(
      `INSERT INTO wh_state.actors SELECT $1, company, key, name
       FROM json_to_recordset($2) AS r(company text, key text, name text)
       ON CONFLICT (place, company, key) DO UPDATE SET name = excluded.name`,
      [place, JSON.stringify(rows)],
    )
  const renamed = new Set(named.filter(({ isNew }) => !isNew).map((one) => rowId(one.company, one.actor)))
  for (const id of renamed) await rename(naming, last.get(id)!)

  const acting = new Map(operations.map(({ operation: one }) => [rowId(one.company, one.actor), one]))
  if (acting.size === 0) return (_, actor) => actor
  const found = await client.query<{ company: string; key: string; name: string }>(
    `SELECT company, key, name FROM wh_state.actors
     WHERE place = $1 AND (company, key) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
    [
      place,
      [...acting.values()].map(({ company }) => company),
      [...acting.values()].map(({ actor }) => actor),
    ],
  )
  const names = new Map(found.rows.map(({ company, key, name }) => [rowId(company, key), name]))
  return (company, actor) => names.get(rowId(company, actor)) ?? actor
}

async function rename(
  { client, place, folding }: Naming,
  { company, actor, name }: { readonly company: Company; readonly actor: string; readonly name: string },
): Promise<void> {
  for (const table of folding.tables())
    await client.query(
      `UPDATE ${place}.${quoted(tablesOf(table)[1].name)} SET "ChangedBy_Name" = $3
       WHERE ${quoted(COMPANY)} = $1 AND "ChangedBy" = $2 AND "ChangedBy_Name" IS DISTINCT FROM $3`,
      [company, actor, name],
    )
}
