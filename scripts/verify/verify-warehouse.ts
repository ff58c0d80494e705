/**
 * Is the warehouse what the events say? Its totals are compared with the log, folded independently, and every row with a
 * warehouse that is built from nothing. The rows in MongoDB are compared as well (`verify-sink.ts`).
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWarehouseFile } from '../../src/adapters/sqlite/warehouse/company-file.ts'
import type { SourceData } from '../../src/compose/source.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { buildBy } from './follow-warehouse.ts'
import { keptInFiles } from './kept-warehouse.ts'
import { countEvents, openLog, type Log } from './log.ts'
import { logTotals } from './log-totals.ts'
import { verifyCompany, type VerifiedTable } from './verify-company.ts'
import { verifyPostgres } from './verify-postgres.ts'
import { verifySink } from './verify-sink.ts'

export interface WarehouseVerification {
  readonly events: number
  readonly tables: readonly VerifiedTable[]
  /** Every difference, with its table. */
  readonly differences: readonly string[]
}

export interface VerifyOptions extends SourceData {
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  /** Where rows are kept beside the warehouse that is asked. */
  readonly mongoUrl?: string | undefined
  /** The PostgreSQL that is asked in place of files. */
  readonly warehouseUrl?: string | undefined
  /** See `rounds.ts`. */
  readonly patienceMs?: number | undefined
}

/**
 * With MongoDB and PostgreSQL their rows are compared, while the service runs; without them the files, while it is stopped.
 * @throws Error when there is no log or no warehouse, it is in use, it cannot go on, or see `rounds.ts`
 */
export async function verifyWarehouse(options: VerifyOptions): Promise<WarehouseVerification> {
  const { dataDir, definitions, mongoUrl, warehouseUrl, patienceMs } = options
  const log = await openLog(options)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  try {
    const events = await countEvents(log, await log.head())
    const tables: VerifiedTable[] = []
    if (mongoUrl) {
      const of = { mongoUrl, definitions, log, scratch: folderIn(scratch, 'mongodb'), patienceMs }
      tables.push(...(await verifySink(of)))
    }
    if (warehouseUrl) {
      const of = { url: warehouseUrl, definitions, log, scratch: folderIn(scratch, 'postgres') }
      tables.push(...(await verifyPostgres(of)))
    }
    if (!mongoUrl && !warehouseUrl)
      tables.push(...(await verifyFiles({ dataDir, definitions, log, scratch })))
    const differences = tables.flatMap(({ company, table, differences: found }) =>
      found.map((line) => `${company} ${table}: ${line}`),
    )
    return { events, tables, differences }
  } finally {
    await log.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function folderIn(folder: string, name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

interface FilesOf {
  readonly dataDir: string
  readonly definitions: Definitions
  readonly log: Log
  /** An empty folder. */
  readonly scratch: string
}

async function verifyFiles({ dataDir, definitions, log, scratch }: FilesOf): Promise<VerifiedTable[]> {
  const folder = join(scratch, 'kept')
  const kept = keptInFiles({ dataDir, folder, definitions, log })
  try {
    const { catalogue } = kept
    const position = await log.head()
    const rebuilt = buildBy(catalogue, { folder: join(scratch, 'rebuilt'), definitions, log })
    const totals = logTotals(definitions, catalogue)
    await rebuilt.bringTo(position, totals.take).finally(() => rebuilt.close())
    await kept.bringTo(position)
    const companies = [...new Set([...totals.companies(), ...kept.companies])].sort()
    return companies.flatMap((company) => {
      const files = ['kept', 'rebuilt'].map((name) => fileOf(join(scratch, name), company, catalogue))
      return verifyCompany({
        company,
        files: files as [string, string],
        definitions,
        catalogue,
        totals,
      })
    })
  } finally {
    await kept.close()
  }
}

/** The company's file; an empty one where there is none. */
function fileOf(folder: string, company: Company, catalogue: Catalogue): string {
  const path = join(folder, `${company}.db`)
  if (!existsSync(path)) openWarehouseFile(path, catalogue).close()
  return path
}
