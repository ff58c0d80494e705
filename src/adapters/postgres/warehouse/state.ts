/** What the service keeps beside the tables: how far they have come, by which catalogue, who may read what, and orders. */
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Reached } from '../../../domain/warehouse/ordinals.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { Client } from '../connection.ts'
import type { Place } from './schema.ts'

export interface State {
  readonly position: Position
  readonly last: LastEvent | undefined
  readonly catalogue: Catalogue | undefined
  /** The same as it is stored; undefined while there is none. */
  readonly catalogueText: string | undefined
  /** Of what is built beside: the process that does. */
  readonly builder: string | undefined
  /** The rows do not follow from the events by the catalogue until they have been rebuilt. */
  readonly outdated: boolean
}

/** Made by whichever process comes first; a race ends with an error that is tried again. */
export async function prepareState(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS wh_state.state (
      place text PRIMARY KEY, position bigint NOT NULL, last text, catalogue text, outdated boolean NOT NULL, statuses text);
    ALTER TABLE wh_state.state ADD COLUMN IF NOT EXISTS builder text;
    CREATE TABLE IF NOT EXISTS wh_state.grants (columns name PRIMARY KEY, readable text NOT NULL);
    CREATE TABLE IF NOT EXISTS wh_state.tool_logins (
      login name PRIMARY KEY, company text NOT NULL, key text NOT NULL, made_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE IF NOT EXISTS wh_state.orders (
      entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, command text NOT NULL, projection text NOT NULL);
    CREATE TABLE IF NOT EXISTS wh_state.ordinals (
      place text, company text, position bigint NOT NULL, ordinal bigint NOT NULL, PRIMARY KEY (place, company));
    CREATE TABLE IF NOT EXISTS wh_state.actors (
      place text, company text, key text, name text NOT NULL, PRIMARY KEY (place, company, key));
    INSERT INTO wh_state.state (place, position, outdated) VALUES ('public', 0, false), ('wh_build', 0, false)
    ON CONFLICT DO NOTHING`)
}

/** `forWriting`: until the end of the transaction no other process writes there. */
export async function readState(client: Client, place: Place, forWriting = false): Promise<State> {
  const found = await client.query<{ [column: string]: string | null }>(
    `SELECT position, last, catalogue, outdated, builder FROM wh_state.state WHERE place = $1${forWriting ? ' FOR UPDATE' : ''}`,
    [place],
  )
  const { position, last, catalogue, outdated, builder } = found.rows[0]!
  return {
    position: Number(position),
    last: last ? (JSON.parse(last) as LastEvent) : undefined,
    get catalogue() {
      return catalogue ? (JSON.parse(catalogue) as Catalogue) : undefined
    },
    catalogueText: catalogue ?? undefined,
    builder: builder ?? undefined,
    outdated: outdated === 't',
  }
}

export async function movePosition(
  client: Client,
  place: Place,
  position: Position,
  last: LastEvent | undefined,
): Promise<void> {
  await client.query(
    'UPDATE wh_state.state SET position = $2, last = coalesce($3, last) WHERE place = $1 AND position < $2',
    [place, position, last ? JSON.stringify(last) : null],
  )
}

/** Whether the state is of a version that counts them. */
export async function hasOrdinals(client: Client): Promise<boolean> {
  const found = await client.query<{ there: string }>(
    `SELECT 1 AS there WHERE to_regclass('wh_state.ordinals') IS NOT NULL`,
  )
  return found.rows.length > 0
}

/** How far companies have come; those of which there was no event yet are missing. */
export async function readReached(
  client: Client,
  place: Place,
  companies: readonly Company[],
): Promise<Map<Company, Reached>> {
  const found = await client.query<{ company: string; position: string; ordinal: string }>(
    'SELECT company, position, ordinal FROM wh_state.ordinals WHERE place = $1 AND company = ANY ($2)',
    [place, companies],
  )
  return new Map(
    found.rows.map(({ company, position, ordinal }) => [
      company,
      { position: Number(position), ordinal: Number(ordinal) },
    ]),
  )
}

export async function moveReached(
  client: Client,
  place: Place,
  reached: ReadonlyMap<Company, Reached>,
): Promise<void> {
  const all = [...reached].map(([company, { position, ordinal }]) => ({ company, position, ordinal }))
  await client.query(
    `INSERT INTO wh_state.ordinals SELECT $1, company, position, ordinal
     FROM json_to_recordset($2) AS r(company text, position bigint, ordinal bigint)
     ON CONFLICT (place, company) DO UPDATE SET position = excluded.position, ordinal = excluded.ordinal`,
    [place, JSON.stringify(all)],
  )
}

/** As when no event has been applied. */
export async function goBack(client: Client, place: Place): Promise<void> {
  await client.query('UPDATE wh_state.state SET position = 0, last = NULL WHERE place = $1', [place])
  await client.query('DELETE FROM wh_state.ordinals WHERE place = $1', [place])
  await client.query('DELETE FROM wh_state.actors WHERE place = $1', [place])
}

/** What was built has been put in its place, and what belongs to it with it. */
export async function takeBuilt(client: Client): Promise<void> {
  for (const table of ['ordinals', 'actors']) {
    await client.query(`DELETE FROM wh_state.${table} WHERE place = 'public'`)
    await client.query(`UPDATE wh_state.${table} SET place = 'public' WHERE place = 'wh_build'`)
  }
}
