/**
 * A copy of the event file, whole and as of one moment, while the service goes on writing.
 *
 * The events are all that has to be kept: read models are built from them by the first start on the copy.
 */
import { existsSync, fsyncSync, closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'

export interface Backup {
  readonly path: string
  readonly events: number
  /** Position of the last event that it holds. */
  readonly head: number
}

/**
 * Copies `<dataDir>/events.db` to `<target>/events.db`. The copy has its name only when it is whole and on the disk.
 * @throws Error when there is nothing to copy, when the target holds events already, or when the copy is damaged
 */
export async function backupEventFile(dataDir: string, target: string): Promise<Backup> {
  const source = join(dataDir, 'events.db')
  const path = join(target, 'events.db')
  const partial = `${path}.partial`
  if (!existsSync(source)) throw new Error(`there is no event file in ${dataDir}`)
  if (existsSync(path)) throw new Error(`${target} holds events already; a backup never overwrites`)
  mkdirSync(target, { recursive: true })
  rmSync(partial, { force: true })

  const db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
  try {
    // All pages in one step: between two steps the writer would make it start anew, over and over.
    await backup(db, partial, { rate: 2 ** 31 - 1 })
  } finally {
    db.close()
  }
  const { events, head } = checked(partial)
  sync(partial)
  renameSync(partial, path)
  sync(target)
  return { path, events, head }
}

function checked(path: string): { events: number; head: number } {
  const db = new DatabaseSync(path)
  try {
    // One file, without a log beside it, until the service opens it.
    db.exec('PRAGMA journal_mode = DELETE')
    const damage = db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    if (damage !== 'ok') throw new Error(`the copy is damaged: ${String(damage)}`)
    const row = db.prepare('SELECT count(*) AS events, max(position) AS head FROM events').get()
    return { events: row?.['events'] as number, head: (row?.['head'] as number | null) ?? 0 }
  } finally {
    db.close()
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
function sync(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
