/** When `npm run backup` last copied the data folder: it leaves a note there, for the metrics of the service. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NOTE = 'last-backup'

/** In seconds since 1970; undefined: none is known. */
export function lastBackup(dataDir: string): number | undefined {
  const note = statSync(join(dataDir, NOTE), { throwIfNoEntry: false })
  return note && note.mtimeMs / 1_000
}

/** Who may read a folder may back it up, but not always write in it. Answers whether the note could be left. */
export function noteBackup(dataDir: string, text: string): boolean {
  try {
    writeFileSync(join(dataDir, NOTE), `${text}\n`)
    return true
  } catch {
    return false
  }
}
