/** What the service keeps beside the tables: how far they have come, by which catalogue, who may read what, and orders. */
import type { Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { Client } from '../connection.ts'
import type { Place } from './schema.ts'

export interface State {
  readonly position: Position
  readonly last: LastEvent | undefined
  readonly catalogue: Catalogue | undefined
  /** The rows do not follow from the events by the catalogue until they have been rebuilt. */
  readonly outdated: boolean
}

/** Made by whichever process comes first; a race ends with an error that is tried again. */
export async function prepareState(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS wh_state.state (
      place text PRIMARY KEY, position bigint NOT NULL, last text, catalogue text, outdated boolean NOT NULL, statuses text);
    CREATE TABLE IF NOT EXISTS wh_state.grants (columns name PRIMARY KEY, readable text NOT NULL);
    CREATE TABLE IF NOT EXISTS wh_state.orders (
      entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, command text NOT NULL, projection text NOT NULL);
    INSERT INTO wh_state.state VALUES ('public', 0, NULL, NULL, false, NULL), ('wh_build', 0, NULL, NULL, false, NULL)
    ON CONFLICT DO NOTHING`)
}

/** `forWriting`: until the end of the transaction no other process writes there. */
export async function readState(client: Client, place: Place, forWriting = false): Promise<State> {
  const found = await client.query<{ [column: string]: string | null }>(
    `SELECT position, last, catalogue, outdated FROM wh_state.state WHERE place = $1${forWriting ? ' FOR UPDATE' : ''}`,
    [place],
  )
  const { position, last, catalogue, outdated } = found.rows[0]!
  return {
    position: Number(position),
    last: last ? (JSON.parse(last) as LastEvent) : undefined,
    catalogue: catalogue ? (JSON.parse(catalogue) as Catalogue) : undefined,
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
