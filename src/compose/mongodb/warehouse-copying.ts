/**
 * A company's warehouse on MongoDB, copied into an SQLite file: from where the copy stands, or whole.
 *
 * A copy is nobody's truth: it can be deleted at any time.
 */
import type { WarehouseChanges } from '../../adapters/mongodb/warehouse/changes.ts'
import { companyPath } from '../../adapters/sqlite/warehouse/company-files.ts'
import { openCopyFile, removeCopy } from '../../adapters/sqlite/warehouse/copy-file.ts'
import type { Company } from '../../domain/events/event.ts'

export interface CopyOf {
  readonly changes: WarehouseChanges
  /** Where the copies are. */
  readonly folder: string
  readonly company: Company
}

/** @throws Unavailable when the server cannot be reached */
export async function copyWarehouse({ changes, folder, company }: CopyOf): Promise<void> {
  const path = companyPath(folder, company)
  const { catalogue, built } = await changes.catalogue()
  // Asked for before the rows: what comes meanwhile is brought the next time, too.
  const { position } = await changes.status()
  let copy = openCopyFile(path, catalogue)
  try {
    if (copy.position() > position || (copy.position() > 0 && copy.built() !== built)) {
      copy.close()
      removeCopy(path)
      copy = openCopyFile(path, catalogue)
    }
    if (copy.position() === position) return
    for await (const rows of changes.since(company, copy.position(), catalogue)) copy.put(rows)
    copy.arrived(position, built)
  } finally {
    copy.close()
  }
}
