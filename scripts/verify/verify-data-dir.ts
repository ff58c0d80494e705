/**
 * Are the read models of a stopped service what its events say? Built anew from the events and compared.
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
import type { SourceData } from '../../src/compose/source.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { buildReadModels } from './build-read-models.ts'
import { compareFiles, type TableReport } from './compare-files.ts'
import { countEvents, openLog, whenQuiet } from './log.ts'

export interface Verification {
  readonly events: number
  readonly tables: readonly TableReport[]
  /** Every difference, with its table; empty when nothing diverges. */
  readonly differences: readonly string[]
}

export interface DataDirOf extends SourceData {
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
}

/**
 * @throws Error when the folder is in use, has no event file or no read models of these definitions, when the
 * event file itself is damaged, or when others keep writing to the server of events
 */
export async function verifyDataDir({
  dataDir,
  definitions,
  eventStoreUrl,
}: DataDirOf): Promise<Verification> {
  const models = readModelPath(dataDir, definitions)
  const log = await openLog({ dataDir, eventStoreUrl })
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  let unlock = () => {}
  try {
    if (!existsSync(models))
      throw new Error(`${dataDir} has no read models of these definitions (${basename(models)})`)
    unlock = lockDataDir(dataDir)
    const folders = ['kept', 'rebuilt'].map((name) => join(scratch, name)) as [string, string]
    for (const folder of folders) {
      mkdirSync(folder)
      if (eventStoreUrl === undefined) copyDatabase(join(dataDir, 'events.db'), folder)
    }
    copyDatabase(models, folders[0])
    if (eventStoreUrl === undefined) checkEventFile(join(folders[1], 'events.db'))
    return await whenQuiet(log, async (head) => {
      const [kept, rebuilt] = (await Promise.all(
        folders.map((folder) => buildReadModels({ dataDir: folder, definitions, eventStoreUrl, head })),
      )) as [string, string]
      return async () => verificationOf(await countEvents(log, head), compareFiles(kept, rebuilt))
    })
  } finally {
    unlock()
    await log.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

export function verificationOf(events: number, tables: readonly TableReport[]): Verification {
  const differences = tables.flatMap(({ table, differences: found }) =>
    found.map((line) => `${table}: ${line}`),
  )
  return { events, tables, differences }
}

/** The file and its write-ahead log; the index of the log is made anew from it. */
function copyDatabase(path: string, folder: string): void {
  for (const suffix of ['', '-wal'])
    if (existsSync(path + suffix))
      copyFileSync(path + suffix, join(folder, basename(path) + suffix), constants.COPYFILE_FICLONE)
}

function checkEventFile(path: string): void {
  const db = new DatabaseSync(path)
  try {
    const damage = db.prepare('PRAGMA quick_check').get()?.['quick_check']
    if (damage !== 'ok') throw new Error(`the event file is damaged: ${String(damage)}`)
  } finally {
    db.close()
  }
}
