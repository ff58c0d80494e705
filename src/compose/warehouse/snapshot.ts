/** A company's warehouse on PostgreSQL as an SQLite file: everything as of one moment. */
import { readCompany, type CompanyOf } from '../../adapters/postgres/export/read-company.ts'
import { forgetState } from '../../adapters/sqlite/warehouse/company-file.ts'
import { writeCompanyFile } from '../../adapters/sqlite/warehouse/write-company-file.ts'
import type { Position } from '../../domain/events/event.ts'

export interface SnapshotOf extends CompanyOf {
  /** The file to make. */
  readonly path: string
}

/** How far the warehouse had come. @throws Unavailable when there is no warehouse yet, and errors of the driver */
export async function snapshotToFile({ path, ...of }: SnapshotOf): Promise<Position> {
  const position = await readCompany(of, (catalogue) => writeCompanyFile(path, catalogue))
  forgetState(path)
  return position
}
