/**
 * Are the read models of a stopped service what its events say? Built anew from the event file and compared.
 *
 * The folder itself is only read. What was kept is first brought up to the last event, as the next start would: a
 * service may be stopped before its projections have arrived.
 */
import { copyFileSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readModelPath } from '../../src/adapters/sqlite/generation.ts'
import { lockDataDir } from '../../src/adapters/sqlite/data-dir.ts'
import { withInternal } from '../../src/compose/definitions.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { buildReadModels } from './build-read-models.ts'
import { compareFiles, type TableReport } from './compare-files.ts'

export interface Verification {
  readonly events: number
  readonly tables: readonly TableReport[]
  /** Every difference, with its table; empty when nothing diverges. */
  readonly differences: readonly string[]
}

/**
 * @param own definitions of files; the service's own objects are added here
 * @throws Error when the folder is in use, has no event file or no read models of these definitions, or when the
 * event file itself is damaged
 */
export async function verifyDataDir(dataDir: string, own: Definitions): Promise<Verification> {
  const definitions = withInternal(own)
  const events = join(dataDir, 'events.db')
  const models = readModelPath(dataDir, definitions)
  if (!existsSync(events)) throw new Error(`there is no event file in ${dataDir}`)
  if (!existsSync(models))
    throw new Error(`${dataDir} has no read models of these definitions (${basename(models)})`)
  const unlock = lockDataDir(dataDir)
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  try {
    const [kept, rebuilt] = ['kept', 'rebuilt'].map((name) => join(scratch, name)) as [string, string]
    mkdirSync(kept)
    mkdirSync(rebuilt)
    for (const path of [events, models]) copyDatabase(path, kept)
    copyDatabase(events, rebuilt)
    const count = countEvents(join(rebuilt, 'events.db'))
    const files = await Promise.all([
      buildReadModels(kept, definitions),
      buildReadModels(rebuilt, definitions),
    ])
    const tables = compareFiles(...files)
    const differences = tables.flatMap(({ table, differences: found }) =>
      found.map((line) => `${table}: ${line}`),
    )
    return { events: count, tables, differences }
  } finally {
    unlock()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The file and its write-ahead log; the index of the log is made anew from it. */
function copyDatabase(path: string, folder: string): void {
  for (const suffix of ['', '-wal'])
    if (existsSync(path + suffix))
      copyFileSync(path + suffix, join(folder, basename(path) + suffix), constants.COPYFILE_FICLONE)
}

function countEvents(path: string): number {
  const db = new DatabaseSync(path)
  try {
    const damage = db.prepare('PRAGMA quick_check').get()?.['quick_check']
    if (damage !== 'ok') throw new Error(`the event file is damaged: ${String(damage)}`)
    return db.prepare('SELECT count(*) AS events FROM events').get()?.['events'] as number
  } finally {
    db.close()
  }
}
