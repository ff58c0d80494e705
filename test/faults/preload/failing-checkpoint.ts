/**
 * Loaded into the service from outside (`NODE_OPTIONS=--import=…`): when there are some events and their log is moved
 * into the event file, the disk refuses an fsync; from then on it takes everything again, and what it refused is gone.
 */
import { DatabaseSync } from 'node:sqlite'

const { exec, prepare } = DatabaseSync.prototype
const ENOUGH_EVENTS = 50
let refused = false

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  if (isToFail(this, sql)) refuse()
  exec.call(this, sql)
}

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args: Parameters<typeof prepare>) {
  if (isToFail(this, args[0])) refuse()
  return prepare.apply(this, args)
}

function isToFail(db: DatabaseSync, sql: string): boolean {
  if (refused || !/wal_checkpoint/i.test(sql) || !db.location()?.endsWith('events.db')) return false
  const head = prepare.call(db, 'SELECT max(position) AS head FROM events').get()?.['head'] as number | null
  refused = head !== null && head >= ENOUGH_EVENTS
  return refused
}

/** 1034: SQLITE_IOERR_FSYNC */
function refuse(): never {
  throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 })
}
