/**
 * Is the warehouse what the events say? Its totals are held against the log, folded by itself, and every row against a
 * warehouse that is built anew. The same for every engine that keeps it (`kept-warehouse.ts`, `kept-on-mongo.ts`).
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWarehouseFile } from '../../src/adapters/sqlite/warehouse/company-file.ts'
import { STATE } from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import { openStateFile } from '../../src/adapters/sqlite/warehouse/state-file.ts'
import type { SourceData } from '../../src/compose/source.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { historyName } from '../../src/domain/warehouse/columns.ts'
import { followWarehouse, type FollowedWarehouse } from './follow-warehouse.ts'
import { keptOnMongo } from './kept-on-mongo.ts'
import { keptInFiles, type MovingWarehouse, type Standing } from './kept-warehouse.ts'
import { openLog } from './log.ts'
import { logTotals } from './log-totals.ts'
import { inRounds } from './rounds.ts'
import { noTotals } from './totals.ts'
import { rowDifferences, verifyCompany, type VerifiedTable } from './verify-company.ts'

export interface WarehouseVerification {
  readonly events: number
  readonly tables: readonly VerifiedTable[]
  /** Every difference, with its table. */
  readonly differences: readonly string[]
}

export interface VerifyOptions extends SourceData {
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  /** Where the warehouses are, when they are not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
  /** See `rounds.ts`. */
  readonly patienceMs?: number | undefined
}

/** @throws Error when there is no log or no warehouse, it is in use, it cannot go on, or see `rounds.ts` */
export async function verifyWarehouse(options: VerifyOptions): Promise<WarehouseVerification> {
  const { dataDir, definitions, mongoUrl, patienceMs } = options
  const log = await openLog(options)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  const open: { close(): Promise<void> }[] = [log]
  try {
    const folder = join(scratch, 'kept')
    const kept = mongoUrl
      ? await keptOnMongo({ mongoUrl, folder, definitions })
      : keptInFiles({ dataDir, folder, definitions, log })
    open.push(kept)
    const anew = join(scratch, 'rebuilt')
    const rebuilt = buildBy(kept.catalogue, { folder: anew, definitions, log })
    open.push(rebuilt)
    const totals = logTotals(definitions, kept.catalogue)
    const filesOf = (company: Company) =>
      [folder, anew].map((of) => fileOf(of, company, kept.catalogue)) as [string, string]
    const names = kept.catalogue.tables.flatMap(({ name }) => [name, historyName(name)])
    const tables: VerifiedTable[] = []
    let at: Position = 0
    const bringTo = async (position: Position) => {
      await rebuilt.bringTo(position, totals.take)
      at = Math.max(at, position)
    }

    const first = async (): Promise<readonly LeftRow[]> => {
      await bringTo(await log.head())
      const companies = [...new Set([...totals.companies(), ...(await kept.companies())])].sort()
      const reached = await kept.bringTo(at, companies)
      // Behind its last event there may be places of the log at which none stands.
      await bringTo(Math.min(reached, await log.head()))
      const left: LeftRow[] = []
      for (const company of companies) {
        const standings = new Map<string, Standing>()
        for (const table of kept.moving ? names : [])
          standings.set(table, await kept.moving!.standing(company, table, at))
        const { catalogue, notCompared } = kept
        const files = filesOf(company)
        const of = { company, files, standings, notCompared, definitions, catalogue, totals }
        tables.push(...verifyCompany(of))
        for (const [table, { newer }] of standings) for (const id of newer) left.push({ company, table, id })
      }
      return left
    }
    const again = async (left: readonly LeftRow[]): Promise<readonly LeftRow[]> => {
      const read = await reread(kept.moving!, left, at)
      const end = await log.head()
      await bringTo(Math.min(read.reached, end))
      const base = at
      /** Of the event that the row is to be compared at; that of a later one, if there is one. */
      const place = ({ stamp = 0 }: ReadRow) => (stamp > end ? base : Math.max(base, stamp))
      const later: LeftRow[] = []
      for (const row of read.rows.toSorted((one, other) => place(one) - place(other))) {
        await bringTo(place(row))
        const { company, table, id, stamp } = row
        const differences =
          stamp === undefined ? [`${id} is gone`] : rowDifferences(filesOf(company), table, id)
        if (differences.length === 0) continue
        // Of several writes that change it one may have been seen without the next.
        if (place(row) > base) later.push(row)
        else tables.push({ company, table, totals: noTotals(), differences })
      }
      return later
    }
    const differs = () => tables.some(({ differences }) => differences.length > 0)
    await inRounds<LeftRow>((left) => (left ? again(left) : first()), nameOf, patienceMs).catch(
      (error: unknown) => {
        // What is known to differ is told, whatever else may be.
        if (!differs()) throw error
      },
    )
    const differences = tables.flatMap(({ company, table, differences: found }) =>
      found.map((line) => `${company} ${table}: ${line}`),
    )
    return { events: totals.events(), tables, differences }
  } finally {
    for (const one of open.toReversed()) await one.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A row that was changed while it was read. */
interface LeftRow {
  readonly company: Company
  readonly table: string
  readonly id: string
}

const nameOf = ({ table, id }: LeftRow) => `${table} ${id}`

/** The same, read once more, and by itself. */
interface ReadRow extends LeftRow {
  /** Position of its last change; undefined: it is not there any more. */
  readonly stamp: Position | undefined
}

async function reread(moving: MovingWarehouse, left: readonly LeftRow[], at: Position) {
  const rows: ReadRow[] = []
  let reached = Number.POSITIVE_INFINITY
  for (const [company, own] of Map.groupBy(left, (row) => row.company)) {
    const tables = Map.groupBy(own, ({ table }) => table)
    const ids = new Map([...tables].map(([table, of]) => [table, new Set(of.map(({ id }) => id))] as const))
    const read = await moving.reread(company, ids, at)
    reached = Math.min(reached, read.reached)
    rows.push(...own.map((row) => ({ ...row, stamp: read.stamps.get(nameOf(row)) })))
  }
  return { rows, reached }
}

/** A warehouse from nothing, with the same history of the schema, so that every value goes where it went. */
function buildBy(catalogue: Catalogue, of: Parameters<typeof followWarehouse>[0]): FollowedWarehouse {
  mkdirSync(of.folder)
  const state = openStateFile(join(of.folder, STATE))
  state.setCatalogue(catalogue)
  state.close()
  return followWarehouse(of)
}

/** The company's file; an empty one where there is none. */
function fileOf(folder: string, company: Company, catalogue: Catalogue): string {
  const path = join(folder, `${company}.db`)
  if (!existsSync(path)) openWarehouseFile(path, catalogue).close()
  return path
}
