/**
 * A batch of events, of any companies, written as the rows that they leave: read, folded, and put in by `COPY` into tables
 * of the session's own, and one statement for each table that has changed. All within the caller's transaction.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { Company } from '../../../domain/events/event.ts'
import type { Cell, ColumnType, WarehouseTable } from '../../../domain/warehouse/columns.ts'
import {
  fold,
  lookedUp,
  rowId,
  type Folding,
  type Renamed,
  type Row,
  type Version,
} from '../../../domain/warehouse/fold.ts'
import type { Placed } from '../../../domain/warehouse/ordinals.ts'
import type { Client } from '../connection.ts'
import type { ActorName } from './actors.ts'
import { COMPANY, quoted, tablesOf, type Place, type Sort } from './schema.ts'

export interface BatchOf {
  readonly client: Client
  readonly place: Place
  readonly folding: Folding
  readonly operations: readonly Placed[]
  readonly actorName: ActorName
}

/** @throws Error for an event that cannot be understood, and those of the driver */
export async function writeBatch({ client, place, folding, operations, actorName }: BatchOf): Promise<void> {
  const rows = new Map<string, Row>()
  for (const [object, own] of Map.groupBy(operations, ({ operation }) => operation.object)) {
    const asked = new Map(own.map(({ operation: one }) => [rowId(one.company, one.key), one]))
    for (const row of await readRows(client, place, folding.table(object), [...asked.values()]))
      rows.set(rowId(row.company, row.key), row)
  }
  const names = new Map<string, Cell>()
  for (const [object, wanted] of lookedUp(folding, operations, rows)) {
    const column = folding.displays.get(object)?.column
    if (column === undefined) continue
    const table = `${place}.${quoted(folding.table(object).name)}`
    const found = await client.query<Record<string, string | null>>(
      `SELECT ${quoted(COMPANY)}, "Key", ${quoted(column)} AS name FROM ${table} WHERE (${quoted(COMPANY)}, "Key") IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      keysOf([...wanted.values()]),
    )
    for (const row of found.rows) names.set(rowId(row[COMPANY]!, row['Key']!), row['name'] ?? null)
  }
  const { versions, ended, renamed } = fold({ folding, operations, rows, names })

  const changed = [...rows.values()].filter(({ stamp, before }) => stamp > (before ?? -1))
  for (const [table, own] of Map.groupBy(changed, (row) => row.table)) {
    const [current] = tablesOf(table)
    await put(client, place, current, own.map(currentValues))
  }
  // Before the new versions: of several of one record only the last is open.
  for (const [table, own] of Map.groupBy(ended, (one) => one.table)) {
    const history = `${place}.${quoted(tablesOf(table)[1].name)}`
    await client.query(
      `UPDATE ${history} AS h SET "ValidTo" = e.valid_to FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[]) AS e(company, key, version, valid_to)
       WHERE h.${quoted(COMPANY)} = e.company AND h."Key" = e.key AND h."_Version" = e.version`,
      [...keysOf(own), own.map(({ version }) => version), own.map(({ validTo }) => validTo)],
    )
  }
  for (const [table, own] of Map.groupBy(versions, (version) => version.table))
    await put(
      client,
      place,
      tablesOf(table)[1],
      own.map((version) => versionValues(version, actorName)),
    )
  for (const one of renamed) await rename(client, place, folding, one)
}

const keysOf = (of: readonly { readonly company: Company; readonly key: string }[]) => [
  of.map(({ company }) => company),
  of.map(({ key }) => key),
]

async function readRows(
  client: Client,
  place: Place,
  table: WarehouseTable,
  keys: readonly { readonly company: Company; readonly key: string }[],
): Promise<Row[]> {
  const [current, history] = tablesOf(table)
  const names = [COMPANY, ...current.columns.map(({ name }) => name)].map((name) => `t.${quoted(name)}`)
  const found = await client.query<(string | null)[]>({
    text: `SELECT ${names.join(', ')}, h."ValidFrom" FROM ${place}.${quoted(current.name)} AS t
      JOIN ${place}.${quoted(history.name)} AS h ON h.${quoted(COMPANY)} = t.${quoted(COMPANY)} AND h."Key" = t."Key" AND h."_Version" = t."_Version"
      WHERE (t.${quoted(COMPANY)}, t."Key") IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    values: keysOf(keys),
    rowMode: 'array',
  })
  return found.rows.map((values) => rowOf(table, current, values))
}

function rowOf(table: WarehouseTable, { columns }: Sort, values: readonly (string | null)[]): Row {
  const cells = new Map(columns.map(({ name, type }, i) => [name, cellOf(type, values[i + 1]!)]))
  const text = (name: string) => cells.get(name) as string
  return {
    table,
    company: values[0]!,
    key: text('Key'),
    cells: new Map(table.columns.map(({ name }) => [name, cells.get(name) ?? null])),
    isDeleted: cells.get('IsDeleted') as boolean,
    createdAt: text('CreatedAt'),
    modifiedAt: text('ModifiedAt'),
    version: cells.get('_Version') as number,
    ordinal: cells.get('_Position') as number,
    validFrom: cellOf('timestamp', values.at(-1)!) as string,
    // Rows of an earlier batch: one that this batch changes gets a later stamp.
    stamp: 0,
    before: 0,
  }
}

/** A value as PostgreSQL writes it, as the cell that was stored. */
export function cellOf(type: ColumnType, text: string | null): Cell {
  if (text === null) return null
  if (type === 'boolean') return text === 't'
  if (type === 'integer' || type === 'decimal' || type === 'money') return Number(text)
  if (type === 'timestamp') return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`
  return text
}

function currentValues(row: Row): Cell[] {
  const { company, key, isDeleted, createdAt, modifiedAt, version, ordinal, table, cells } = row
  const own = table.columns.map(({ name }) => cells.get(name) ?? null)
  return [company, key, isDeleted, createdAt, modifiedAt, version, ordinal, ...own]
}

function versionValues(made: Version, actorName: ActorName): Cell[] {
  const { company, key, version, validFrom, validTo, operation, actor, table, cells } = made
  const { isDeleted, createdAt, modifiedAt, ordinal } = made
  const own = table.columns.map(({ name }) => cells.get(name) ?? null)
  const by = [actor, actorName(company, actor), made.reason]
  const fixed = [company, key, version, validFrom, validTo, operation, ...by]
  return [...fixed, isDeleted, createdAt, modifiedAt, ordinal, ...own]
}

/** By connection, the tables of its session that are there. */
const stages = new WeakMap<Client, Set<string>>()

async function makeStage(client: Client, place: Place, name: string, list: string): Promise<void> {
  const made = stages.get(client) ?? new Set<string>()
  if (made.has(name)) return
  // A table of an earlier transaction that came to nothing is gone with it.
  await client.query(
    `CREATE TEMP TABLE IF NOT EXISTS ${quoted(stageOf(name))} ON COMMIT DELETE ROWS AS SELECT ${list} FROM ${place}.${quoted(name)} WITH NO DATA`,
  )
  stages.set(client, made.add(name))
}

const stageOf = (name: string): string => `stage ${name}`.slice(0, 63)

/** Puts rows in, in place of those of the same key. */
async function put(
  client: Client,
  place: Place,
  { name, columns, key }: Sort,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const stage = `pg_temp.${quoted(stageOf(name))}`
  const names = [COMPANY, ...columns.map((column) => column.name)]
  const list = names.map(quoted).join(', ')
  await makeStage(client, place, name, list)
  const stream = client.query(copyFrom(`COPY ${stage} (${list}) FROM STDIN`))
  await pipeline(Readable.from(textOf(rows)), stream)
  const primary = [COMPANY, ...key]
  const changes = names
    .filter((one) => !primary.includes(one))
    .map((one) => `${quoted(one)} = excluded.${quoted(one)}`)
  await client.query(
    `INSERT INTO ${place}.${quoted(name)} (${list}) SELECT ${list} FROM ${stage} ON CONFLICT (${primary.map(quoted).join(', ')}) DO UPDATE SET ${changes.join(', ')}`,
  )
}

const CHUNK = 256 * 1024

/** COPY's text format. */
function* textOf(rows: readonly (readonly Cell[])[]): Generator<Buffer> {
  let text = ''
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) text += (i > 0 ? '\t' : '') + fieldOf(row[i]!)
    text += '\n'
    if (text.length < CHUNK) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

const ESCAPED: { readonly [character: string]: string } = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

function fieldOf(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  return typeof cell === 'number' ? String(cell) : cell.replace(/[\\\t\n\r]/g, (one) => ESCAPED[one]!)
}

async function rename(client: Client, place: Place, folding: Folding, of: Renamed): Promise<void> {
  const { by, lookup, nameColumn, company, key, name } = of
  await client.query(
    `UPDATE ${place}.${quoted(folding.table(by).name)} SET ${quoted(nameColumn)} = $3
     WHERE ${quoted(COMPANY)} = $1 AND ${quoted(lookup)} = $2 AND ${quoted(nameColumn)} IS DISTINCT FROM $3`,
    [company, key, name],
  )
}
