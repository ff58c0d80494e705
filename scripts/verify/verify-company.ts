/** One company's warehouse, compared with the totals of the log, and row by row with one that was built from nothing. */
import { DatabaseSync } from 'node:sqlite'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company } from '../../src/domain/events/event.ts'
import { tableFor, type Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { historyName } from '../../src/domain/warehouse/columns.ts'
import { compareFiles } from './compare-files.ts'
import type { LogTotals } from './log-totals.ts'
import { historyTotals, noTotals, sumText, tableTotals, type Totals } from './totals.ts'

export interface VerifiedTable {
  readonly company: string
  readonly table: string
  readonly totals: Totals
  /** In words; empty when table and log agree. */
  readonly differences: readonly string[]
}

export interface CompanyOf {
  readonly company: Company
  /** What is kept, and what was built from nothing. */
  readonly files: readonly [string, string]
  /** Tables of the files that say nothing of what the service keeps. */
  readonly notCompared?: readonly string[]
  readonly definitions: Definitions
  readonly catalogue: Catalogue
  readonly totals: LogTotals
}

export function verifyCompany({
  company,
  files,
  notCompared = [],
  definitions,
  catalogue,
  totals,
}: CompanyOf): VerifiedTable[] {
  const [kept, rebuilt] = files
  const db = new DatabaseSync(kept, { readOnly: true })
  const tables: VerifiedTable[] = []
  try {
    for (const definition of definitions.values()) {
      const table = definition.internal ? undefined : tableFor(catalogue, definition)
      if (!table) continue
      for (const [name, found] of [
        [table.name, tableTotals(db, table)],
        [historyName(table.name), historyTotals(db, table)],
      ] as const) {
        const differences = differencesOf(found, totals.of(company, name))
        tables.push({ company, table: name, totals: found, differences })
      }
    }
  } finally {
    db.close()
  }
  for (const { table, differences } of compareFiles(kept, rebuilt, notCompared))
    if (differences.length > 0) tables.push({ company, table, totals: noTotals(), differences })
  return tables
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
