/** A copy of an SQLite file, whole and as of one moment, while the service goes on writing. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { sync } from '../../src/adapters/sqlite/files/sync.ts'

export interface Backup {
  readonly path: string
  readonly events: number
  /** Position of the last event that it holds. */
  readonly head: number
  /** Identity of the log, where it has one. */
  readonly log?: string
}

/**
 * Copies `<dataDir>/events.db` to `<target>/events.db`. The copy has its name only when it is whole and on the disk.
 * @throws Error when there is nothing to copy, when the target holds events already, or when the copy is damaged
 */
export async function backupEventFile(dataDir: string, target: string): Promise<Backup> {
  if (!existsSync(join(dataDir, 'events.db'))) throw new Error(`there is no event file in ${dataDir}`)
  const path = await copyDatabase('events.db', dataDir, target)
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const row = db.prepare('SELECT count(*) AS events, max(position) AS head FROM events').get()
    const log = logOf(db)
    return {
      path,
      events: row?.['events'] as number,
      head: (row?.['head'] as number | null) ?? 0,
      ...(log !== undefined && { log }),
    }
  } finally {
    db.close()
  }
}

/**
 * Copies a database under its name. The copy has it only when it is whole and on the disk, and only its owner can read it.
 * @throws Error when the target has one already, or when the copy is damaged
 */
export async function copyDatabase(name: string, from: string, to: string): Promise<string> {
  const path = join(to, name)
  const partial = `${path}.partial`
  if (existsSync(path)) throw new Error(`${to} holds ${name} already; a backup never overwrites`)
  mkdirSync(to, { recursive: true, mode: 0o700 })
  rmSync(partial, { force: true })
  // Made before SQLite opens it, which leaves the mode of a file that is there as it is.
  writeFileSync(partial, '', { mode: 0o600 })
  const db = new DatabaseSync(join(from, name), { readOnly: true, timeout: 5_000 })
  try {
    // All pages in one step: between two steps the writer would make it start again, over and over.
    await backup(db, partial, { rate: 2 ** 31 - 1 })
  } finally {
    db.close()
  }
  requireWhole(partial)
  sync(partial)
  renameSync(partial, path)
  sync(to)
  return path
}

function requireWhole(path: string): void {
  const db = new DatabaseSync(path)
  try {
    // One file, without a log beside it, until the service opens it.
    db.exec('PRAGMA journal_mode = DELETE')
    const damage = db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    if (damage !== 'ok') throw new Error(`the copy is damaged: ${String(damage)}`)
  } finally {
    db.close()
  }
}

function logOf(db: DatabaseSync): string | undefined {
  const first = db.prepare('SELECT type, data FROM events ORDER BY position LIMIT 1').get()
  if (first?.['type'] !== 'store.opened') return undefined
  return (JSON.parse(first['data'] as string) as { Id?: string }).Id
}
