/**
 * Is the warehouse of a stopped service what its events say? Its totals are held against the log, folded by itself, and
 * every row against a warehouse that is built anew.
 *
 * The folder itself is only read. What was kept is first brought up to the last event, as the next start would.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { lockDataDir } from '../../src/adapters/sqlite/data-dir.ts'
import { linkWarehouse } from '../../src/adapters/sqlite/warehouse/link.ts'
import type { WarehouseData } from '../../src/compose/warehouse.ts'
import type { Definitions, ObjectDefinition } from '../../src/domain/definition.ts'
import type { Position } from '../../src/domain/event.ts'
import { historyName, tableName } from '../../src/domain/warehouse/columns.ts'
import { compareFiles } from './compare-files.ts'
import { logTotals } from './log-totals.ts'
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

/** @throws Error when the folder is in use, has no event file or no warehouse, or the warehouse cannot go on */
export async function verifyWarehouse(
  dataDir: string,
  definitions: Definitions,
): Promise<WarehouseVerification> {
  const eventFile = join(dataDir, 'events.db')
  const folder = join(dataDir, 'warehouse')
  if (!existsSync(eventFile)) throw new Error(`there is no event file in ${dataDir}`)
  if (!existsSync(folder)) throw new Error(`${dataDir} has no warehouse`)
  const unlock = lockDataDir(dataDir)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  try {
    const { events, head, totals } = logTotals(eventFile, definitions)
    const [kept, rebuilt] = [join(scratch, 'kept'), join(scratch, 'rebuilt')]
    cpSync(folder, kept, { recursive: true })
    // The same history of the schema, so that every value goes where it went.
    cpSync(folder, rebuilt, {
      recursive: true,
      filter: (path) => path === folder || basename(path).startsWith('state.db'),
    })
    forgetPosition(join(rebuilt, 'state.db'))
    for (const one of [kept, rebuilt]) await bringUp(dataDir, one, definitions, head)

    const tables: VerifiedTable[] = []
    const companies = new Set([...totals.keys(), ...companiesIn(kept)])
    for (const company of [...companies].sort()) {
      const db = new DatabaseSync(join(kept, `${company}.db`), { readOnly: true })
      try {
        for (const definition of definitions.values())
          if (!definition.internal) tables.push(...verifyObject(db, company, definition, totals.get(company)))
      } finally {
        db.close()
      }
      const compared = compareFiles(join(kept, `${company}.db`), join(rebuilt, `${company}.db`))
      for (const { table, differences } of compared)
        if (differences.length > 0) tables.push({ company, table, totals: noTotals(), differences })
    }
    const differences = tables.flatMap(({ company, table, differences: found }) =>
      found.map((line) => `${company} ${table}: ${line}`),
    )
    return { events, tables, differences }
  } finally {
    unlock()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function verifyObject(
  db: DatabaseSync,
  company: string,
  definition: ObjectDefinition,
  expected: ReadonlyMap<string, Totals> | undefined,
): VerifiedTable[] {
  const table = tableName(definition)
  return (
    [
      [table, tableTotals(db, definition)],
      [historyName(table), historyTotals(db, definition)],
    ] as const
  ).map(([name, totals]) => ({
    company,
    table: name,
    totals,
    differences: differencesOf(totals, expected?.get(name) ?? noTotals()),
  }))
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

/** Runs the warehouse thread on the folder until it has come to the last event. */
async function bringUp(
  dataDir: string,
  folder: string,
  definitions: Definitions,
  head: Position,
): Promise<void> {
  const data: WarehouseData = { dataDir, folder, definitions: [...definitions.values()] }
  let trouble = 'it does not get on'
  const link = await linkWarehouse({
    worker: new Worker(new URL('../../src/compose/warehouse.ts', import.meta.url), { workerData: data }),
    onTrouble: (message, detail) => (trouble = `${message}: ${detail}`),
    onFatal: (reason) => (trouble = reason),
  })
  try {
    for (;;) {
      const before = link.status()[0]?.position ?? 0
      if (await link.reached(head, STEP_MS)) return
      const [status] = link.status()
      if (status?.state === 'parked' || (status?.position ?? 0) === before)
        throw new Error(
          `the warehouse cannot be brought up to the last event: ${status?.error?.message ?? trouble}`,
        )
    }
  } finally {
    await link.close()
  }
}

const STEP_MS = 10_000

function companiesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => /^(company-.+)\.db$/.exec(name)?.[1] ?? [])
}

function forgetPosition(path: string): void {
  const db = new DatabaseSync(path)
  try {
    db.exec("DELETE FROM companies; DELETE FROM state WHERE name = 'position'")
  } finally {
    db.close()
  }
}
