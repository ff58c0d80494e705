/**
 * The warehouse that a service keeps, as SQLite files to compare: what holds for every engine, and how the files of an
 * embedded one are taken. Nothing of the service's own is written to.
 */
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import type { Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { followWarehouse } from './follow-warehouse.ts'
import type { Log } from './log.ts'
import type { RowsByTable } from './warehouse-rows.ts'

export interface KeptWarehouse {
  /** By which every value has its column. */
  readonly catalogue: Catalogue
  /** Where the companies' files are. */
  readonly folder: string
  /** Tables of the files that say nothing of what the service keeps. */
  readonly notCompared: readonly string[]
  /** Those that have a warehouse, whether the log knows them or not. */
  companies(): Promise<readonly Company[]>
  /** Brings the files of these companies to what the service keeps once it has come at least to this position: to which. */
  bringTo(position: Position, companies: readonly Company[]): Promise<Position>
  /** Undefined: nobody writes, and the files have all rows as they were at that position. */
  readonly moving?: MovingWarehouse
  close(): Promise<void>
}

/** Of a warehouse that is written while it is read. @throws Error when it was built anew meanwhile */
export interface MovingWarehouse {
  /** How the rows that are there stand to a position that the files were brought to. */
  standing(company: Company, table: string, at: Position): Promise<Standing>
  /**
   * Takes these rows into the company's file once more, when all that is kept has come at least to this position: to which,
   * and the position of each row's last change. One that is not there any more has none.
   */
  reread(
    company: Company,
    rows: RowsByTable,
    at: Position,
  ): Promise<{ readonly reached: Position; readonly stamps: ReadonlyMap<string, Position> }>
}

export interface Standing {
  /** The rows that may show later events, in the file as well. */
  readonly newer: ReadonlySet<string>
  /** How many others there are. */
  readonly others: number
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
    let isOpen = true
    const close = async () => {
      if (isOpen) await files.close()
      isOpen = false
    }
    return {
      catalogue: files.catalogue,
      folder,
      notCompared: [],
      companies: async () =>
        readdirSync(folder).flatMap((name) => /^(company-.+)\.db$/.exec(name)?.[1] ?? []),
      async bringTo(position) {
        try {
          await files.bringTo(position)
        } finally {
          // What was brought so far is in the files only then.
          await close()
        }
        return position
      },
      async close() {
        await close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}
