/**
 * Are the read models what the events say? Built anew by the embedded projections and compared byte for byte: with the
 * files of a stopped service (`verify-data-dir.ts`), or with what MongoDB serves while the service runs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/adapters/mongodb/connection.ts'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { mongoReadModels } from '../../src/adapters/mongodb/read-models.ts'
import { READ_MODEL_PROJECTIONS } from '../../src/projections/read-model-projections.ts'
import { backupEventFile } from '../backup/backup-event-file.ts'
import { arrivalOf } from './arrival.ts'
import { buildReadModels } from './build-read-models.ts'
import { compareFiles } from './compare-files.ts'
import { countEvents, openLog, whenQuiet } from './log.ts'
import { dumpFile, dumpMongo } from './read-model-dump.ts'
import { verificationOf, verifyDataDir, type DataDirOf, type Verification } from './verify-data-dir.ts'

export interface ReadModelsOf extends DataDirOf {
  /** Where the read models are, when they are not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
}

/** @throws Error when they cannot be compared: see `verify-data-dir.ts` and `arrival.ts` */
export function verifyReadModels({ mongoUrl, ...of }: ReadModelsOf): Promise<Verification> {
  return mongoUrl ? verifyOnMongo(of, mongoUrl) : verifyDataDir(of)
}

async function verifyOnMongo(
  { dataDir, definitions, eventStoreUrl }: DataDirOf,
  url: string,
): Promise<Verification> {
  const log = await openLog({ dataDir, eventStoreUrl })
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  const projections = READ_MODEL_PROJECTIONS
  const readModels = await mongoReadModels({ url, definitions, projections })
  const connection = connect({ url, definitions })
  let tries = 0
  try {
    return await whenQuiet(log, async (head) => {
      const folder = join(scratch, String(++tries))
      mkdirSync(folder)
      if (eventStoreUrl === undefined) await backupEventFile(dataDir, folder)
      const file = await buildReadModels({ dataDir: folder, definitions, eventStoreUrl, head })
      await arrivalOf(readModels.status, head)
      const [kept, rebuilt] = [join(folder, 'kept.db'), join(folder, 'rebuilt.db')]
      await dumpMongo(kept, definitions, connection)
      return async () => {
        dumpFile(rebuilt, definitions, file)
        return verificationOf(await countEvents(log, head), compareFiles(kept, rebuilt))
      }
    })
  } catch (error) {
    throw asDomainError(error)
  } finally {
    await connection.close()
    await readModels.close()
    await log.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}
