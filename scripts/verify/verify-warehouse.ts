/**
 * Is the warehouse what the events say? Its totals are held against the log, folded by itself, and every row against a
 * warehouse that is built anew. The same for every engine that keeps it (`kept-warehouse.ts`, `kept-on-mongo.ts`).
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openWarehouseFile } from '../../src/adapters/sqlite/warehouse/company-file.ts'
import { STATE } from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import { openStateFile } from '../../src/adapters/sqlite/warehouse/state-file.ts'
import type { SourceData } from '../../src/compose/source.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company } from '../../src/domain/event.ts'
import { tableFor, type Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { historyName, type WarehouseTable } from '../../src/domain/warehouse/columns.ts'
import { compareFiles } from './compare-files.ts'
import { followWarehouse, type FollowedWarehouse } from './follow-warehouse.ts'
import { keptOnMongo } from './kept-on-mongo.ts'
import { keptInFiles, type KeptWarehouse } from './kept-warehouse.ts'
import { openLog, whenQuiet, type Log } from './log.ts'
import { logTotals, type LogTotals } from './log-totals.ts'
import { historyTotals, noTotals, sumText, tableTotals, type Totals } from './totals.ts'

export interface VerifiedTable {
  readonly company: string
  readonly table: string
  readonly totals: Totals
  /** In words; empty when table and log agree. */
  readonly differences: readonly string[]
}

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
}

/** @throws Error when there is no log or no warehouse, it is in use, it cannot go on, or events keep coming */
export async function verifyWarehouse(options: VerifyOptions): Promise<WarehouseVerification> {
  const { dataDir, definitions, mongoUrl } = options
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
    const companies = await bringBoth({ log, kept, rebuilt, totals })
    // What was brought so far is in the files only then.
    await open.pop()!.close()
    await open.pop()!.close()

    const tables: VerifiedTable[] = []
    for (const company of companies) {
      const [one, other] = [folder, anew].map((of) => fileOf(of, company, kept.catalogue)) as [string, string]
      const db = new DatabaseSync(one, { readOnly: true })
      try {
        for (const definition of definitions.values()) {
          const table = definition.internal ? undefined : tableFor(kept.catalogue, definition)
          if (table) tables.push(...verifyTable({ db, company, table, totals, kept }))
        }
      } finally {
        db.close()
      }
      for (const { table, differences } of compareFiles(one, other, kept.notCompared))
        if (differences.length > 0) tables.push({ company, table, totals: noTotals(), differences })
    }
    const differences = tables.flatMap(({ company, table, differences: found }) =>
      found.map((line) => `${company} ${table}: ${line}`),
    )
    return { events: totals.events(), tables, differences }
  } finally {
    for (const one of open.toReversed()) await one.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A warehouse from nothing, with the same history of the schema, so that every value goes where it went. */
function buildBy(catalogue: Catalogue, of: Parameters<typeof followWarehouse>[0]): FollowedWarehouse {
  mkdirSync(of.folder)
  const state = openStateFile(join(of.folder, STATE))
  state.setCatalogue(catalogue)
  state.close()
  return followWarehouse(of)
}

interface Sides {
  readonly log: Log
  readonly kept: KeptWarehouse
  readonly rebuilt: FollowedWarehouse
  readonly totals: LogTotals
}

/** Brings all to the same event, the last of the log, and answers with the companies that there are. */
function bringBoth({ log, kept, rebuilt, totals }: Sides): Promise<readonly Company[]> {
  return whenQuiet(log, async (head) => {
    await rebuilt.bringTo(head, totals.take)
    const companies = [...new Set([...totals.companies(), ...(await kept.companies())])].sort()
    await kept.bringTo(head, companies)
    return async () => companies
  })
}

/** The company's file; an empty one where there is none. */
function fileOf(folder: string, company: Company, catalogue: Catalogue): string {
  const path = join(folder, `${company}.db`)
  if (!existsSync(path)) openWarehouseFile(path, catalogue).close()
  return path
}

interface TableOf {
  readonly db: DatabaseSync
  readonly company: Company
  readonly table: WarehouseTable
  readonly totals: LogTotals
  readonly kept: KeptWarehouse
}

function verifyTable({ db, company, table, totals: log, kept }: TableOf): VerifiedTable[] {
  return (
    [
      [table.name, tableTotals(db, table)],
      [historyName(table.name), historyTotals(db, table)],
    ] as const
  ).map(([name, found]) => {
    const totals = { ...found, rows: kept.rows(company, name) ?? found.rows }
    return { company, table: name, totals, differences: differencesOf(totals, log.of(company, name)) }
  })
}

function differencesOf(kept: Totals, log: Totals): string[] {
  const lines: string[] = []
  if (kept.rows !== log.rows) lines.push(`has ${kept.rows} rows, the log says ${log.rows}`)
  if (kept.deleted !== log.deleted) lines.push(`has ${kept.deleted} deletes, the log says ${log.deleted}`)
  for (const label of new Set([...kept.sums.keys(), ...log.sums.keys()])) {
    const [there, said] = [kept.sums.get(label) ?? 0n, log.sums.get(label) ?? 0n]
    if (there !== said) lines.push(`${label} adds up to ${sumText(there)}, the log says ${sumText(said)}`)
  }
  return lines
}
