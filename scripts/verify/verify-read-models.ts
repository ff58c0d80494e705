/**
 * Are the read models what the events say? Built anew by the embedded projections and compared byte for byte: with the
 * files of a stopped service, or with what MongoDB serves while the service runs.
 */
import { verifyDataDir, type DataDirOf, type Verification } from './verify-data-dir.ts'
import { verifyOnMongo, type OnMongoOf } from './verify-on-mongo.ts'

export interface ReadModelsOf extends DataDirOf, Partial<Pick<OnMongoOf, 'patienceMs'>> {
  /** Where the read models are, when they are not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
}

/** @throws Error when they cannot be compared: see `verify-data-dir.ts` and `verify-on-mongo.ts` */
export function verifyReadModels({ mongoUrl, ...of }: ReadModelsOf): Promise<Verification> {
  return mongoUrl ? verifyOnMongo({ ...of, mongoUrl }) : verifyDataDir(of)
}
