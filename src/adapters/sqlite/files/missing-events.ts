/**
 * A folder that has lost its event file, but not what was made of the events: a mount that came late, or a file that was
 * moved away. To begin a new store there would hide what is lost.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Position } from '../../../domain/events/event.ts'

/** @throws Error naming the event file when it has no events, and a file that was made of some */
export function refuseMissingEvents(folder: string): void {
  const path = join(folder, 'events.db')
  const head = read(path, 'SELECT max(position) AS position FROM events')
  if (head === undefined || head > 0) return
  for (const { file, sql } of derivedFiles(folder)) {
    const position = read(file, sql) ?? 0
    if (position > 0)
      throw new Error(
        `${path} ${existsSync(path) ? 'holds no events' : 'is missing'}, but ${file} was built from events up to position ` +
          `${position}. Put the event file back, or restore a backup (docs/durability.md). To begin a new store, use an empty ` +
          'folder; where a server keeps the events, set EVENTSTORE_URL',
      )
  }
}

function derivedFiles(folder: string): { readonly file: string; readonly sql: string }[] {
  const readModels = readdirSync(folder)
    .filter((name) => /^read-models-.*\.db$/.test(name))
    .map((name) => ({ file: join(folder, name), sql: 'SELECT max(position) AS position FROM projections' }))
  return [
    ...readModels,
    {
      file: join(folder, 'warehouse', 'state.db'),
      sql: `SELECT value AS position FROM state WHERE name = 'position'`,
    },
    { file: join(folder, 'webhooks.db'), sql: 'SELECT position FROM standing' },
  ]
}

/** 0 where there is nothing; undefined where it cannot be read: opening it later says why. */
function read(file: string, sql: string): Position | undefined {
  if (!existsSync(file)) return 0
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    try {
      return Number(db.prepare(sql).get()?.['position'] ?? 0)
    } finally {
      db.close()
    }
  } catch (error) {
    return (error as Error).message.startsWith('no such table') ? 0 : undefined
  }
}
