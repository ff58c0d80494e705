/** The warehouses as analysts ask them: every job runs off the event loop, on the company's own file. */
import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { invalid, Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { tableInfosOf, type TableInfo } from '../../../domain/warehouse/table-infos.ts'
import type { ByteStream, Warehouse } from '../../../ports/warehouse.ts'
import { companyPath, removeFolder } from './company-files.ts'
import { queryPool } from './query/query-pool.ts'
import { reading } from './export/reading.ts'

export interface SqliteWarehouseOptions {
  /** Where the companies' files are. */
  readonly folder: string
  readonly catalogue: () => Catalogue
  /** Resolves when the company's file is there. @throws Unavailable */
  readonly ready: (company: Company) => Promise<void>
  readonly reached: (position: Position, timeoutMs: number) => Promise<boolean>
  /** Longest that a question may take. */
  readonly queryMs?: number
}

/** Counts and copies; how many exports there are is up to those who ask for them. */
const READERS = 4
const QUERIES = 2
const QUERY_MS = 5_000
const QUERY_LIMITS = { rows: 10_000, characters: 10_000_000, memoryBytes: 512 * 2 ** 20 }

export function sqliteWarehouse({
  folder,
  catalogue,
  ready,
  reached,
  queryMs = QUERY_MS,
}: SqliteWarehouseOptions): Warehouse {
  let listed: { readonly of: Catalogue; readonly tables: readonly TableInfo[] } | undefined
  const tables = (): readonly TableInfo[] => {
    const of = catalogue()
    if (listed?.of !== of) listed = { of, tables: of.tables.flatMap(tableInfosOf) }
    return listed.tables
  }
  const reader = reading({ most: READERS })
  const queries = queryPool({ processes: QUERIES, limits: { ...QUERY_LIMITS, milliseconds: queryMs } })
  const snapshots = join(folder, 'snapshots')
  removeFolder(snapshots) // of a process that was killed

  const fileOf = async (company: Company): Promise<string> => {
    await ready(company)
    return companyPath(folder, company)
  }

  return {
    get tables() {
      return tables()
    },
    reached: (_company, at, timeoutMs) => reached(at, timeoutMs),
    async contents(company) {
      const names = tables().map(({ name }) => name)
      const answer = await reader.ask({ kind: 'contents', path: await fileOf(company), tables: names })
      return answer.kind === 'contents' ? answer.contents : { rows: {}, ordinal: 0 }
    },
    async export(company, { table, columns, format }) {
      const info = tables().find(({ name }) => name === table)
      const chosen = columns.map((name) => info?.columns.find((column) => column.name === name))
      if (!info || !chosen.every((column) => column !== undefined))
        throw new Error(`the warehouse has no such table or column: ${table}`)
      return reader.stream({ kind: 'export', path: await fileOf(company), table, columns: chosen, format })
    },
    async snapshot(company) {
      const path = await fileOf(company)
      mkdirSync(snapshots, { recursive: true })
      const to = join(snapshots, `${randomUUID()}.db`)
      try {
        await reader.ask({ kind: 'snapshot', path, to })
        return { size: (await stat(to)).size, bytes: oncePassedOn(to) }
      } catch (error) {
        await rm(to, { force: true })
        throw error
      }
    },
    async query(company, { sql, readable, rows }) {
      const outcome = await queries.ask({ path: await fileOf(company), sql, readable, rows })
      if ('json' in outcome) return { json: new TextDecoder().decode(outcome.json) }
      if ('unavailable' in outcome)
        throw new Unavailable(`the warehouse cannot be read now (${outcome.unavailable})`)
      const { fault, table } = outcome
      if (table !== undefined && tables().some(({ name }) => name.toLowerCase() === table))
        return { forbidden: fault }
      throw invalid('Sql', fault)
    },
    async close() {
      queries.close()
      await reader.close()
      removeFolder(snapshots)
    },
  }
}

/** A file's bytes; it is removed when they have been read, or the reader has gone. */
async function* oncePassedOn(path: string): ByteStreamOf {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  } finally {
    if (existsSync(path)) await rm(path, { force: true })
  }
}

type ByteStreamOf = AsyncGenerator<Uint8Array> & ByteStream
