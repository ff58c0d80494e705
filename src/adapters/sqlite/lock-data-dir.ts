/** One process a data folder: a lock that the system takes back when the process ends, however it ends. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'

/**
 * Returns what lets go of the folder.
 * @throws Error when another process has it
 */
export function lockDataDir(folder: string): () => void {
  const db = new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 })
  try {
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS lock (held INTEGER); COMMIT; BEGIN EXCLUSIVE',
    )
  } catch (error) {
    db.close()
    if (error instanceof Error && /locked|busy/.test(error.message))
      throw new Error(`another process has the data folder ${folder} open`, { cause: error })
    throw error
  }
  return () => db.close()
}
