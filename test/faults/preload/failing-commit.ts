/**
 * Loaded into the service from outside (`NODE_OPTIONS=--import=…`): one commit of the event file fails as it does when
 * the disk refuses an fsync; all others succeed, as they would when the kernel has dropped the pages it could not write.
 *
 * `FAILING_COMMIT`: which one, from 1. `FAILING_COMMIT_STORES=1`: the group is on the disk all the same.
 * `FAILING_COMMIT_NOTE`: the file that gets the position of the last event before it.
 */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const { exec } = DatabaseSync.prototype
const failing = Number(process.env['FAILING_COMMIT'])
let commits = 0

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  const path = this.location()
  if (sql !== 'COMMIT' || !path?.endsWith('events.db') || ++commits !== failing) return exec.call(this, sql)
  const before = new DatabaseSync(path, { readOnly: true })
  const head = before.prepare('SELECT max(position) AS head FROM events').get()?.['head'] as number
  before.close()
  writeFileSync(process.env['FAILING_COMMIT_NOTE']!, String(head))
  exec.call(this, process.env['FAILING_COMMIT_STORES'] === '1' ? 'COMMIT' : 'ROLLBACK')
  // 1034: SQLITE_IOERR_FSYNC
  throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 })
}
