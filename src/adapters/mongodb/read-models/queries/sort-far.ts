/**
 * Lists sorted by values that the records themselves do not hold (`Tenant/Email`): the matching records are read with
 * no more than what order needs, the values are fetched along the lookups, and order is made here.
 */
import type { Document } from 'mongodb'
import { invalid } from '../../../../domain/errors.ts'
import type { Company } from '../../../../domain/events/event.ts'
import type { Path } from '../../../../domain/filter/ast.ts'
import type { SortKey } from '../../../../ports/read-models.ts'
import type { Connection } from '../../connection.ts'
import { keyLocation, locationOf } from '../locations.ts'
import { documentId } from '../record-document.ts'
import type { TimeLimit } from './time-limit.ts'

export interface FarSort {
  readonly connection: Connection
  readonly company: Company
  readonly object: string
  readonly where: Document
  readonly sort: readonly SortKey[]
  readonly time: TimeLimit
}

/** Records that can be ordered so within the time of a query. */
const MOST = 20_000
const CHUNK = 1_000

type Value = string | number | boolean | null

interface Row {
  readonly id: string
  readonly n: number
  readonly values: Value[]
}

/** Whether a record's own document holds the value. */
export function isNear({ path }: SortKey): boolean {
  return locationOf(path) !== undefined
}

/** Where a record holds the value that it is sorted by. */
export function sortLocation(path: Path, hops = path.hops): string | undefined {
  const location = locationOf(path, hops)
  return path.kind === 'text' ? (location?.folded ?? location?.exact) : location?.exact
}

/** The ids of all matching records in the order asked for. @throws Invalid when they are too many */
export async function sortedIds({
  connection,
  company,
  object,
  where,
  sort,
  time,
}: FarSort): Promise<string[]> {
  const starts = sort.map(({ path }) => sortLocation(path) ?? keyLocation(path.hops[0]!.lookup))
  const projection = Object.fromEntries(['n', ...starts].map((location) => [location, 1]))
  const found = await connection
    .records(object)
    .find(where, { projection, limit: MOST + 1, batchSize: CHUNK, ...time.maxTime() })
    .toArray()
  if (found.length > MOST)
    throw invalid(
      'sort',
      `more than ${MOST} records cannot be sorted by a field of a lookup; narrow the filter`,
    )
  const rows: Row[] = found.map((document) => ({
    id: document._id,
    n: document.n,
    values: starts.map((location) => valueAt(document, location)),
  }))
  for (const [index, { path }] of sort.entries())
    if (!sortLocation(path)) await follow({ connection, company, path, rows, index, time })
  return rows.sort(orderOf(sort)).map(({ id }) => id)
}

interface Following {
  readonly connection: Connection
  readonly company: Company
  readonly path: Path
  readonly rows: readonly Row[]
  /** Which of the rows' values is, so far, the Key of the first lookup. */
  readonly index: number
  readonly time: TimeLimit
}

/** Replaces Keys by what they lead to; what a deleted record holds is not found. */
async function follow({ connection, company, path, rows, index, time }: Following): Promise<void> {
  for (let hops = path.hops.slice(1), isThere = false; !isThere; hops = hops.slice(1)) {
    const location = sortLocation(path, hops)
    isThere = location !== undefined
    const next = location ?? keyLocation(hops[0]!.lookup)
    const records = connection.records((hops[0] ?? path).on.object)
    const keys = [
      ...new Set(rows.map(({ values }) => values[index]).filter((key) => typeof key === 'string')),
    ]
    const found = new Map<string, Value>()
    for (let start = 0; start < keys.length; start += CHUNK) {
      const ids = keys.slice(start, start + CHUNK).map((key) => documentId(company, key))
      const documents = await records
        .find(
          { _id: { $in: ids }, live: { $eq: true } },
          { projection: { key: 1, [next]: 1 }, batchSize: CHUNK, ...time.maxTime() },
        )
        .toArray()
      for (const document of documents) found.set(document.key, valueAt(document, next))
    }
    for (const { values } of rows) values[index] = found.get(values[index] as string) ?? null
  }
}

function valueAt(document: object, location: string): Value {
  let at: unknown = document
  for (const name of location.split('.'))
    at = (at as { readonly [name: string]: unknown } | undefined)?.[name]
  return (at ?? null) as Value
}

/** As MongoDB orders: what is not there first, text by its UTF-8 bytes. */
function orderOf(sort: readonly SortKey[]): (one: Row, other: Row) => number {
  const oldestFirst = sort[0]?.descending === false ? 1 : -1
  return (one, other) => {
    for (const [index, { descending }] of sort.entries()) {
      const order = compare(one.values[index] ?? null, other.values[index] ?? null)
      if (order !== 0) return descending ? -order : order
    }
    return (one.n - other.n) * oldestFirst
  }
}

function compare(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  return typeof one === 'string' ? compareText(one, String(other)) : Number(one) - Number(other)
}

/** By code point, as UTF-8 bytes sort: JavaScript's own order puts the pairs of surrogates before U+E000 to U+FFFF. */
function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)]
    if (a !== b) return rank(a) - rank(b)
  }
  return one.length - other.length
}

function rank(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
