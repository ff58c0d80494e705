/**
 * The warehouse's rows in MongoDB, compared with files that are built from nothing, while others write: every row bears the
 * position of its last change and is compared as of there. One that changes while it is read is read again (`rounds.ts`).
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { keptCatalogue, sinkCollections, sinkStatus } from '../../src/adapters/mongodb/warehouse/sink.ts'
import { cellOf, type RowDocument } from '../../src/adapters/mongodb/warehouse/write-rows.ts'
import { quoted } from '../../src/adapters/sqlite/warehouse/schema.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position } from '../../src/domain/events/event.ts'
import { CURRENT_COLUMNS, type WarehouseTable } from '../../src/domain/warehouse/columns.ts'
import { arrivalOf } from './arrival.ts'
import { buildBy } from './follow-warehouse.ts'
import type { Log } from './log.ts'
import { inRounds } from './rounds.ts'
import { noTotals } from './totals.ts'
import type { VerifiedTable } from './verify-company.ts'

export interface SinkOf {
  readonly mongoUrl: string
  readonly definitions: Definitions
  readonly log: Log
  /** An empty folder. */
  readonly scratch: string
  readonly patienceMs?: number | undefined
}

/** A row that was changed while it was read. */
interface LeftRow {
  readonly table: WarehouseTable
  readonly id: string
}

const NAMED = 5

/** @throws Error when it has to be rebuilt before it can be compared, or cannot be reached */
export async function verifySink({
  mongoUrl: url,
  definitions,
  log,
  scratch,
  patienceMs,
}: SinkOf): Promise<VerifiedTable[]> {
  const sink = sinkCollections({ url, definitions })
  try {
    await sink.connection.ready()
    const kept = await keptCatalogue(sink)
    if (!kept) throw new Error('this MongoDB has no warehouse')
    if (kept.outdated) throw new Error('the warehouse is being written again: compare it when that has ended')
    const folder = join(scratch, 'rebuilt')
    const rebuilt = buildBy(kept.catalogue, { folder, definitions, log })
    const files = readRows(folder)
    try {
      return await compare({ sink, tables: kept.catalogue.tables, rebuilt, files, log, patienceMs })
    } finally {
      files.close()
      await rebuilt.close()
    }
  } catch (error) {
    throw asDomainError(error)
  } finally {
    await sink.connection.close()
  }
}

interface CompareOf {
  readonly sink: ReturnType<typeof sinkCollections>
  readonly tables: readonly WarehouseTable[]
  readonly rebuilt: ReturnType<typeof buildBy>
  readonly files: ReturnType<typeof readRows>
  readonly log: Log
  readonly patienceMs: number | undefined
}

async function compare({
  sink,
  tables,
  rebuilt,
  files,
  log,
  patienceMs,
}: CompareOf): Promise<VerifiedTable[]> {
  const status = async () => [await sinkStatus(sink)]
  const { of, differs, found } = findings()
  const companies = new Set<string>()
  let at: Position = 0
  const bringTo = async (position: Position) => {
    if (position <= at) return
    await rebuilt.bringTo(position, (events) => {
      for (const { metadata } of events) companies.add(metadata.company)
    })
    at = position
  }

  const first = async (): Promise<readonly LeftRow[]> => {
    await bringTo(Math.min(await arrivalOf(status, await log.head()), await log.head()))
    const left: LeftRow[] = []
    for (const table of tables) {
      const seen = new Set<string>()
      for await (const document of sink.rows(table.name).find().sort({ _id: 1 })) {
        const { _id: id } = document
        seen.add(id)
        const { totals } = of(id, table)
        totals.rows++
        if (document['IsDeleted'] === true) totals.deleted++
        if (document._Stamp > at) left.push({ table, id })
        else {
          const [one, other] = [textOf(table, document), files.row(table, id)]
          if (one !== other) differs(id, table, one, other)
        }
      }
      for (const company of companies)
        for (const id of files.ids(table, company))
          if (!seen.has(id)) differs(id, table, undefined, files.row(table, id))
    }
    return left
  }
  const again = async (left: readonly LeftRow[]): Promise<readonly LeftRow[]> => {
    await arrivalOf(status, at)
    const read: (LeftRow & { readonly document: RowDocument | null })[] = []
    for (const row of left)
      read.push({ ...row, document: await sink.rows(row.table.name).findOne({ _id: row.id }) })
    const [base, end] = [at, await log.head()]
    /** Of the event that the row is compared at; the row of an event that is not in the log is compared where it is. */
    const place = ({ document }: (typeof read)[number]) =>
      document && document._Stamp <= end ? Math.max(base, document._Stamp) : base
    const later: LeftRow[] = []
    for (const row of read.toSorted((one, other) => place(one) - place(other))) {
      await bringTo(place(row))
      const { table, id, document } = row
      const [one, other] = [document ? textOf(table, document) : undefined, files.row(table, id)]
      if (one === other) continue
      // Of several writes that change it one may have been seen without the next.
      if (place(row) > base) later.push({ table, id })
      else differs(id, table, one, other)
    }
    return later
  }
  await inRounds<LeftRow>(
    (left) => (left ? again(left) : first()),
    ({ table, id }) => `${table.name} ${id}`,
    patienceMs,
  ).catch((error: unknown) => {
    // What is known to differ is reported, whatever else may.
    if (!found().some(({ differences }) => differences.length > 0)) throw error
  })
  return found()
}

function findings() {
  const verified = new Map<string, VerifiedTable>()
  const of = (id: string, { name: table }: WarehouseTable): VerifiedTable => {
    const company = id.split(' ')[0]!
    const known = verified.get(`${company} ${table}`)
    const one = known ?? { company, table, totals: noTotals(), differences: [] }
    verified.set(`${company} ${table}`, one)
    return one
  }
  const differs = (id: string, table: WarehouseTable, keptRow?: string, rebuiltRow?: string) => {
    const lines = of(id, table).differences as string[]
    if (lines.length >= NAMED) return
    if (keptRow !== undefined) lines.push(`only in the kept: ${keptRow.slice(0, 600)}`)
    if (rebuiltRow !== undefined) lines.push(`only in the rebuilt: ${rebuiltRow.slice(0, 600)}`)
  }
  return { of, differs, found: () => [...verified.values()] }
}

/** The rows of the files as they are at each call; files are opened when they are there. */
function readRows(folder: string) {
  const open = new Map<string, DatabaseSync>()
  const fileOf = (company: string): DatabaseSync | undefined => {
    const known = open.get(company)
    if (known) return known
    try {
      const db = new DatabaseSync(join(folder, `${company}.db`), { readOnly: true })
      open.set(company, db)
      return db
    } catch {
      return undefined
    }
  }
  return {
    row({ name, columns }: WarehouseTable, id: string): string | undefined {
      const [company = '', key = ''] = id.split(' ')
      const names = [...CURRENT_COLUMNS, ...columns].map((column) => quoted(column.name)).join(', ')
      const row = fileOf(company)
        ?.prepare(`SELECT ${names} FROM ${quoted(name)} WHERE "Key" = ?`)
        .get(key)
      return row && JSON.stringify(Object.values(row))
    },
    ids({ name }: WarehouseTable, company: string): string[] {
      const rows =
        fileOf(company)
          ?.prepare(`SELECT "Key" FROM ${quoted(name)}`)
          .all() ?? []
      return rows.map((row) => `${company} ${String(row['Key'])}`)
    },
    close() {
      for (const db of open.values()) db.close()
    },
  }
}

function textOf({ columns }: WarehouseTable, document: RowDocument): string {
  const cells = [...CURRENT_COLUMNS, ...columns].map(({ name, type }) => cellOf(type, document[name]))
  return JSON.stringify(cells.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
}
