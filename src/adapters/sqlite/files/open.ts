/** Opening SQLite files the way this service needs them, and telling its errors apart. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Unavailable } from '../../../domain/errors.ts'

export interface OpenOptions {
  readonly path: string
  /**
   * `FULL`: a commit is on the disk before it answers. `NORMAL`: the file stays whole in a power cut, but the last
   * commits may be gone; for what is rebuilt from events anyway.
   */
  readonly synchronous: 'FULL' | 'NORMAL'
  readonly cacheMegabytes: number
}

const SYNCHRONOUS = { FULL: 2, NORMAL: 1 } as const

/**
 * Opens a file for its one writer, in WAL mode. What is deleted is overwritten in the file at its next checkpoint. Refuses when SQLite did not take a setting that durability rests on.
 * @throws Error that names the file
 */
export function openForWriting(options: OpenOptions): DatabaseSync {
  return naming(options.path, () => {
    const db = new DatabaseSync(options.path, { timeout: 5_000 })
    try {
      return prepared(db, options)
    } catch (error) {
      db.close()
      throw error
    }
  })
}

/** Runs `work`; its error names the file that it is about. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && !error.message.includes(path)) error.message = `${path}: ${error.message}`
    throw error
  }
}

function prepared(db: DatabaseSync, { path, synchronous, cacheMegabytes }: OpenOptions): DatabaseSync {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 0;
    PRAGMA cache_size = -${cacheMegabytes * 1024}; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = -1;
    PRAGMA secure_delete = ON`)
  const mode = pragma(db, 'journal_mode')
  const level = pragma(db, 'synchronous')
  if (mode !== 'wal' || level !== SYNCHRONOUS[synchronous])
    throw new Error(
      `${path}: SQLite runs with journal_mode=${mode} and synchronous=${level}, not wal and ${synchronous}`,
    )
  return db
}

/**
 * Opens a file that is made from nothing and that nobody else reads: without a journal, and without waiting for the disk.
 * Nothing can be taken back, so after a failure the file is thrown away.
 */
export function openForBuilding(path: string): DatabaseSync {
  // Not defensive: else SQLite keeps its journal whatever it is asked, and rows behind full-text tables from all but itself.
  const db = new DatabaseSync(path, { defensive: false })
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -16384; PRAGMA temp_store = FILE`)
  const mode = pragma(db, 'journal_mode')
  if (mode !== 'off') throw new Error(`${path}: SQLite runs with journal_mode=${mode}, not off`)
  return db
}

export interface ReadOptions {
  readonly path: string
  readonly cacheMegabytes: number
  /**
   * `again and again`: the file is mapped into memory, so that the same pages cost nothing. `once`: it is not, for all of
   * it would come to stand in the process's memory.
   */
  readonly reads: 'again and again' | 'once'
}

/** Opens a file that another thread writes. */
export function openForReading({ path, cacheMegabytes, reads }: ReadOptions): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const mapped = reads === 'once' ? 0 : 2 ** 32
  db.exec(
    `PRAGMA cache_size = -${cacheMegabytes * 1024}; PRAGMA mmap_size = ${mapped}; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON`,
  )
  return db
}

export function pragma(db: DatabaseSync, name: string): string | number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as string | number
}

/**
 * A statement that writes. FTS5 gives its internal rows ids past what a number holds, and SQLite reports the last one with
 * every later write on the connection: as a bigint that is not an error.
 */
export function prepareWrite(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
}

/** Runs `work` as one transaction; on any error nothing of it remains. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // Some errors (a full disk) have rolled back by themselves.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

const IOERR_FSYNC = 1034
const IOERR_DIR_FSYNC = 1290

/**
 * After a failed fsync nobody knows what is on the disk, and a second fsync may claim success (the kernel has dropped
 * the dirty pages). The only way on is to stop, open again and read what is there.
 */
export function isFsyncFailure(error: unknown): boolean {
  const code = codeOf(error)
  return code === IOERR_FSYNC || code === IOERR_DIR_FSYNC
}

/** SQLite calls a page damaged that the disk would not read (EIO): while the file is open, the one cannot be known from the other. */
const PRIMARY = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14 } as const

/** Trouble of the disk, not of the data: the same work may succeed later. */
export function isDiskTrouble(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && Object.values(PRIMARY).some((primary) => primary === (code & 0xff))
}

/** Found where a file is opened: what it holds is not what SQLite has written. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && [11, 26].includes(code & 0xff)
}

/** What `work` gives. @throws Unavailable where the disk is in trouble */
export function orUnavailable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** The error as callers of a port know it. */
export function asUnavailable(error: unknown): unknown {
  return isDiskTrouble(error)
    ? new Unavailable(`the embedded store cannot do this now (${(error as Error).message})`)
    : error
}
