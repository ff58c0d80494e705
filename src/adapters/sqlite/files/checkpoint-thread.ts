/** Runs WAL checkpoints on request; see `checkpoints.ts`. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { CheckpointAnswer } from './checkpoints.ts'
import { isDiskTrouble, isFsyncFailure } from './open.ts'

const open = new Map<string, DatabaseSync>()

const connection = (path: string): DatabaseSync => {
  let db = open.get(path)
  if (!db) {
    db = new DatabaseSync(path, { timeout: 1_000 })
    // FULL for both: what a checkpoint writes must be on the disk before the log may be overwritten.
    db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
    open.set(path, db)
  }
  return db
}

parentPort!.on('message', (path: string) => {
  let fsyncFailed = false
  try {
    connection(path).exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!isDiskTrouble(error)) throw error
    fsyncFailed = isFsyncFailure(error)
  }
  parentPort!.postMessage({ path, fsyncFailed } satisfies CheckpointAnswer)
})
