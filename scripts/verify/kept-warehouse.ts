/**
 * The warehouse that a service keeps, as SQLite files to compare: what holds for every engine, and how the files of an
 * embedded one are taken. Nothing of the service's own is written to.
 */
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../src/adapters/sqlite/data-dir.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { followWarehouse } from './follow-warehouse.ts'
import type { Log } from './log.ts'

export interface KeptWarehouse {
  /** By which every value has its column. */
  readonly catalogue: Catalogue
  /** Where the companies' files are. */
  readonly folder: string
  /** Tables of the files that say nothing of what the service keeps. */
  readonly notCompared: readonly string[]
  /** Those that have a warehouse, whether the log knows them or not. */
  companies(): Promise<readonly Company[]>
  /** Brings the files of these companies to what the service keeps once it has come to this position. */
  bringTo(position: Position, companies: readonly Company[]): Promise<void>
  /** How many rows the service keeps; undefined: those that the file has. */
  rows(company: Company, table: string): number | undefined
  close(): Promise<void>
}

export interface KeptInFilesOf {
  readonly dataDir: string
  /** A folder that is not there yet. */
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
  const unlock = lockDataDir(dataDir)
  try {
    cpSync(source, folder, { recursive: true })
    const files = followWarehouse({ folder, definitions, log })
    return {
      catalogue: files.catalogue,
      folder,
      notCompared: [],
      companies: async () =>
        readdirSync(folder).flatMap((name) => /^(company-.+)\.db$/.exec(name)?.[1] ?? []),
      bringTo: (position) => files.bringTo(position),
      rows: () => undefined,
      async close() {
        await files.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}
