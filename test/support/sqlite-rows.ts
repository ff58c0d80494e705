/** What SQLite files hold, asked as anyone with the file may, also beside whoever writes it. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { newFolder } from './service.ts'

export type Row = Record<string, SQLOutputValue>

export function rowsOfFile(path: string, sql: string, ...parameters: SQLInputValue[]): Row[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = db.prepare(sql).all(...parameters)
    return rows.map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}

/** The rows of a whole file that was sent. @throws Error when it is not sound */
export function rowsOfSnapshot(bytes: Uint8Array, sql: string): Row[] {
  const folder = newFolder()
  const path = join(folder, 'snapshot.db')
  writeFileSync(path, bytes)
  try {
    const [check] = rowsOfFile(path, 'PRAGMA integrity_check')
    if (check?.['integrity_check'] !== 'ok') throw new Error(`the file is damaged: ${JSON.stringify(check)}`)
    return rowsOfFile(path, sql)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
