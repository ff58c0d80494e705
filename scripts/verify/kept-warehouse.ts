/** The warehouse files that a service keeps, to compare. What is compared is a copy: nothing of the service is written to. */
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { followWarehouse } from './follow-warehouse.ts'
import type { Log } from './log.ts'

export interface KeptWarehouse {
  /** By which every value has its column. */
  readonly catalogue: Catalogue
  /** Those that have a warehouse, whether the log knows them or not. */
  readonly companies: readonly Company[]
  /** Brings the files to this position and closes them, so that they can be read. */
  bringTo(position: Position): Promise<void>
  close(): Promise<void>
}

export interface KeptInFilesOf {
  readonly dataDir: string
  /** A folder that is not there yet: where the copies are made. */
  readonly folder: string
  readonly definitions: Definitions
  readonly log: Log
}

/**
 * A service may be stopped before its warehouse has arrived: what it kept is brought up to the last event, as the next
 * start would.
 * @throws Error when the folder is in use or has no warehouse
 */
export function keptInFiles({ dataDir, folder, definitions, log }: KeptInFilesOf): KeptWarehouse {
  const source = join(dataDir, 'warehouse')
  if (!existsSync(source)) throw new Error(`${dataDir} has no warehouse`)
  // One process alone holds DATA_DIR, one of several its own folder of warehouse files.
  const unlock = [lockDataDir(dataDir).release]
  try {
    unlock.push(lockDataDir(source).release)
    cpSync(source, folder, { recursive: true, filter: (path) => !path.includes('lock.db') })
    const files = followWarehouse({ folder, definitions, log })
    let isOpen = true
    const close = async () => {
      if (isOpen) await files.close()
      isOpen = false
    }
    return {
      catalogue: files.catalogue,
      companies: readdirSync(folder).flatMap((name) => /^(company-.+)\.db$/.exec(name)?.[1] ?? []),
      async bringTo(position) {
        try {
          await files.bringTo(position)
        } finally {
          // What was brought so far is in the files only then.
          await close()
        }
      },
      async close() {
        await close()
        for (const one of unlock) one()
      },
    }
  } catch (error) {
    for (const one of unlock) one()
    throw error
  }
}
