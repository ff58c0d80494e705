/**
 * Loaded into the service from outside (`NODE_OPTIONS=--import=…`): its event file no longer waits for the disk.
 *
 * The service sets `synchronous = FULL` and reads it back, and would not start with less; so it is taken away behind its
 * back, before each transaction. The negative control of the power cut: with this, acknowledged writes must get lost.
 */
import { DatabaseSync } from 'node:sqlite'

const { exec } = DatabaseSync.prototype

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  if (/^BEGIN\b/i.test(sql) && this.location()?.endsWith('events.db'))
    exec.call(this, 'PRAGMA synchronous = NORMAL')
  exec.call(this, sql)
}
