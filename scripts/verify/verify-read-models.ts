/**
 * Are the read models what the events say? Built anew by the embedded projections and compared byte for byte: with the
 * files of a stopped service, or with what MongoDB serves while the service runs, its journal included.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from './log.ts'
import { verificationOf, verifyDataDir, type DataDirOf, type Verification } from './verify-data-dir.ts'
import { verifyJournal } from './verify-journal.ts'
import { verifyOnMongo, type OnMongoOf } from './verify-on-mongo.ts'

export interface ReadModelsOf extends DataDirOf, Partial<Pick<OnMongoOf, 'patienceMs'>> {
  /** Where the read models are, when they are not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
}

/** @throws Error when they cannot be compared: see `verify-data-dir.ts`, `verify-on-mongo.ts` and `verify-journal.ts` */
export async function verifyReadModels({ mongoUrl, ...of }: ReadModelsOf): Promise<Verification> {
  if (!mongoUrl) return verifyDataDir(of)
  const verified = await verifyOnMongo({ ...of, mongoUrl })
  // With embedded events they are the journal themselves.
  if (of.eventStoreUrl === undefined) return verified
  const log = await openLog(of)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  try {
    const journal = await verifyJournal({ mongoUrl, log, scratch })
    return verificationOf(verified.events, [...verified.tables, journal])
  } finally {
    await log.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}
