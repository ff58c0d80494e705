/** One company's warehouse, held against the totals of the log and against one that was built anew, row by row. */
import { DatabaseSync } from 'node:sqlite'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company } from '../../src/domain/events/event.ts'
import { tableFor, type Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { historyName, type WarehouseTable } from '../../src/domain/warehouse/columns.ts'
import { compareFiles } from './compare-files.ts'
import type { Standing } from './kept-warehouse.ts'
import type { LogTotals } from './log-totals.ts'
import { historyTotals, noTotals, sumText, tableTotals, type Totals } from './totals.ts'
import { rowText, withRowsOf } from './warehouse-rows.ts'

export interface VerifiedTable {
  readonly company: string
  readonly table: string
  readonly totals: Totals
  /** In words; empty when table and log agree. */
  readonly differences: readonly string[]
}

export interface CompanyOf {
  readonly company: Company
  /** What is kept, and what was built anew. */
  readonly files: readonly [string, string]
  /** By table; of rows that may show later events nothing is said but that they are there. */
  readonly standings: ReadonlyMap<string, Standing>
  /** Tables of the files that say nothing of what the service keeps. */
  readonly notCompared: readonly string[]
  readonly definitions: Definitions
  readonly catalogue: Catalogue
  readonly totals: LogTotals
}

export function verifyCompany(of: CompanyOf): VerifiedTable[] {
  const { company, files, standings, notCompared, definitions, catalogue } = of
  const [one, other] = files
  const newer = new Map([...standings].map(([table, standing]) => [table, standing.newer] as const))
  const kept = [...newer.values()].some(({ size }) => size > 0) ? withRowsOf(one, other, newer) : one
  const [there, anew] = [kept, other].map((path) => new DatabaseSync(path, { readOnly: true }))
  const tables: VerifiedTable[] = []
  try {
    for (const definition of definitions.values()) {
      const table = definition.internal ? undefined : tableFor(catalogue, definition)
      if (table) tables.push(...verifyTable(of, table, there!, anew!))
    }
  } finally {
    there!.close()
    anew!.close()
  }
  for (const { table, differences } of compareFiles(kept, other, notCompared))
    if (differences.length > 0) tables.push({ company, table, totals: noTotals(), differences })
  return tables
}

function verifyTable(
  { company, standings, totals: log }: CompanyOf,
  table: WarehouseTable,
  there: DatabaseSync,
  anew: DatabaseSync,
): VerifiedTable[] {
  return (
    [
      [table.name, tableTotals(there, table)],
      [historyName(table.name), historyTotals(there, table)],
    ] as const
  ).map(([name, found]) => {
    const totals = { ...found, rows: rowsOf(standings.get(name), name, anew) ?? found.rows }
    return { company, table: name, totals, differences: differencesOf(totals, log.of(company, name)) }
  })
}

/** How many rows the service kept at that position; undefined: those that the file has. */
function rowsOf(standing: Standing | undefined, table: string, anew: DatabaseSync): number | undefined {
  if (!standing) return undefined
  const { newer, others } = standing
  return others + [...newer].filter((id) => rowText(anew, table, id) !== undefined).length
}

/** What differs of a row, in words. */
export function rowDifferences(
  [kept, rebuilt]: readonly [string, string],
  table: string,
  id: string,
): readonly string[] {
  const [one, other] = [kept, rebuilt].map((path) => {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return rowText(db, table, id)
    } finally {
      db.close()
    }
  })
  if (one === other) return []
  return [
    ...(one === undefined ? [] : [`only in the kept: ${one.slice(0, 600)}`]),
    ...(other === undefined ? [] : [`only in the rebuilt: ${other.slice(0, 600)}`]),
  ]
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
