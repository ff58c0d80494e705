/**
 * The embedded read models, as the main thread sees them: short queries run here, on a read-only connection; those
 * that may be long go to the reader pool.
 */
import type { Definitions, ObjectDefinition } from '../../../domain/definition.ts'
import type { Company } from '../../../domain/events/event.ts'
import type {
  ListQuery,
  Page,
  ProjectionStatus,
  ReadModels,
  StoredRecord,
} from '../../../ports/read-models.ts'
import { tableOf } from './columns.ts'
import { columnReader } from './in-memory/column-reader.ts'
import type { ColumnReader } from './in-memory/column-scopes.ts'
import { keptColumns } from './in-memory/kept-columns.ts'
import { indexedColumns, type Sql } from './queries/compile-filter.ts'
import { numberedSql, pageSql, recordAtSql, type ListOf, type Looked } from './queries/compile-list.ts'
import { recordCounts, SHORT } from './queries/count-records.ts'
import { beginOf, knownPlaces, type Standing } from './queries/known-places.ts'
import type { EngineLink } from '../events/engine-link.ts'
import { asUnavailable, orUnavailable } from '../files/open.ts'
import { openReadModelFile } from './read-model-file.ts'
import { readerPool } from './queries/reader-pool.ts'
import { positionWaiters } from '../../../domain/events/position-waiters.ts'
import { afterRare, listed, lookedFor, rareSql, totalSql } from './queries/read-page.ts'

export interface SqliteReadModelsOptions {
  readonly path: string
  readonly definitions: Definitions
  readonly engine: EngineLink
  /** The projection whose position `reached` speaks of is the slowest of these. */
  readonly projections: readonly string[]
  /** From so many records on their columns are kept in memory, and how these are read. */
  readonly columns?: { readonly least: number; readonly reader: (path: string) => ColumnReader }
}

const QUERY_LIMIT_MS = 2_000

export function sqliteReadModels({
  path,
  definitions,
  engine,
  projections,
  columns = { least: 1_000, reader: columnReader },
}: SqliteReadModelsOptions): ReadModels {
  let file = openReadModelFile(path)
  let current = path
  let closed = false
  const pool = readerPool({ path, threads: 2, limitMs: QUERY_LIMIT_MS })
  const counts = recordCounts({ file: () => file, pool })
  const places = knownPlaces()
  const kept = keptColumns({ file: () => file, reader: () => columns.reader(current) })
  const waiters = positionWaiters()
  let statuses: readonly ProjectionStatus[] = projections.map((name) => ({
    name,
    position: 0,
    state: 'live',
  }))

  engine.listen((message) => {
    // A rebuild may come to its end while the service comes to its own.
    if (closed) return
    if (message.kind === 'switched') return switchTo(message.readModelPath)
    if (message.kind !== 'projected') return
    statuses = message.statuses
    counts.changed(message.changes)
    kept.changed(message.changes)
    waiters.reached(Math.min(...statuses.map(({ position }) => position)))
  })

  /** The same read models in another file, which may be some events ahead. */
  const switchTo = (next: string) => {
    const before = { file, path: current }
    file = openReadModelFile(next)
    current = next
    pool.switchTo(next)
    counts.forget()
    places.clear()
    kept.forget()
    before.file.close()
    engine.send({ kind: 'released', readModelPath: before.path })
  }

  const definitionOf = (object: string): ObjectDefinition => {
    const definition = definitions.get(object)
    if (!definition) throw new Error(`there is no definition of the object ${object}`)
    return definition
  }

  const standingOf = (sql: Sql): Standing => {
    const [total = 0, moved = 0] = (file.rows(sql)[0] ?? []) as number[]
    return { total, moved }
  }

  /** Whether so many steps over rows are made here. */
  const isNear = (steps: number): boolean => steps <= 10 * SHORT

  /** Whether the page can be read here: not when many rows must be walked past or sorted. */
  const isShort = ({ query, wordsIn, gathers }: ListOf, total: number, all: number): boolean => {
    if (wordsIn) return false
    if (all <= SHORT) return true
    if (gathers) return false
    if (total <= SHORT) return true
    const walked = (query.offset + query.limit) * (all / total)
    return isNear(walked) && inOneIndex(query)
  }

  /** What seems to be rare is gathered by the pool: it may not be. */
  const withRare = async (definition: ObjectDefinition, looked: Looked, rare: string): Promise<Looked> => {
    const [counted] = await pool.run([rareSql(definition, rare)])
    return afterRare(definition, looked, Number(counted?.[0]?.[0] ?? 0))
  }

  /** The page by columns in memory; undefined where these do not decide it, or know less than the file just then. */
  const inMemory = (list: ListOf, company: Company): Page | undefined => {
    const found = kept.find(list, company)
    if (!found) return undefined
    const { total, numbers } = found
    const rows = numbers.length === 0 ? [] : file.rows(numberedSql(list, numbers))
    if (rows.length < numbers.length) return undefined
    return { records: rows.map((row) => listed(row, list.query.expand)), total }
  }

  /** The same page of the list of all, from the nearest record that is known on. */
  const fromNearest = async (list: ListOf, standing: Standing): Promise<ListOf> => {
    const { definition, company, query } = list
    const begin = beginOf(standing, query.offset)
    if (!begin) return list
    const id = `${definition.object} ${company}`
    let from = places.get(id, begin.place, standing.moved)
    if (from === undefined) {
      const sought = recordAtSql(list, begin.place)
      const rows = isNear(query.offset) ? file.rows(sought) : (await pool.run([sought]))[0]
      const [n, moved] = (rows?.[0] ?? []) as number[]
      if (n === undefined || moved !== standing.moved) return list
      places.set(id, begin.place, moved, n)
      from = n
    }
    return { ...list, from, query: { ...query, offset: begin.passed } }
  }

  const list = async (company: Company, query: ListQuery) => {
    const number = file.companyNumber(company)
    if (number === undefined) return { records: [], total: 0 }
    const definition = definitionOf(query.object)
    const sought = lookedFor(file, definition, number, query)
    if (!sought) return { records: [], total: 0 }
    const looked = sought.rare === undefined ? sought : await withRare(definition, sought, sought.rare)
    const list: ListOf = { definitions, definition, company: number, query, ...looked, timed: false }
    const standing = standingOf(totalSql(query.object, number))
    const all = standing.total
    const found = all >= columns.least ? inMemory(list, company) : undefined
    if (found) return found
    const total = await counts.total(list, company, all)
    if (query.offset >= total) return { records: [], total }
    const page = isOfAll(query) ? await fromNearest(list, standing) : list
    const rows = isShort(page, total, all)
      ? file.rows(pageSql(page, total, all))
      : // What runs in the pool looks at the time.
        ((await pool.run([pageSql({ ...page, timed: true }, total, all)]))[0] ?? [])
    return { records: rows.map((row) => listed(row, query.expand)), total }
  }

  return {
    async get(company, object, key): Promise<StoredRecord | undefined> {
      const number = file.companyNumber(company)
      if (number === undefined) return undefined
      const row = orUnavailable(() => file.rows(getSql(definitionOf(object), number, key))[0])
      return row && { key, version: row[0] as number, json: row[1] as string }
    },
    async list(company, query) {
      try {
        return await list(company, query)
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    reached: (position, timeoutMs) => waiters.wait(position, timeoutMs),
    status: async () => statuses,
    async close() {
      closed = true
      waiters.close()
      kept.close()
      await pool.close()
      file.close()
    },
  }
}

/** Whether it lists all records, newest first. */
function isOfAll({ filter, sort, words }: ListQuery): boolean {
  return !filter && sort.length === 0 && !words?.length
}

/** Whether an index has the order, so that a page can be read without sorting all that match. */
function inOneIndex({ sort, words }: ListQuery): boolean {
  return !words?.length && sort.length <= 1 && sort.every(({ path }) => indexedColumns(path))
}

const getTexts = new WeakMap<ObjectDefinition, string>()

function getSql(definition: ObjectDefinition, company: number, key: string): Sql {
  let text = getTexts.get(definition)
  if (!text) {
    text = `SELECT version, document FROM ${tableOf(definition)} WHERE company = ? AND id = ? AND deleted = 0`
    getTexts.set(definition, text)
  }
  return { text, params: [company, key] }
}
