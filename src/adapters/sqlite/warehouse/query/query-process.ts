/**
 * A process that answers analysts' questions, one at a time, and knows nothing but the file that it is given.
 *
 * A process, because SQLite cannot be interrupted from JavaScript: what takes too long or too much is killed. A thread
 * watches for that, so that nothing outlives the service either (`query-watch.ts`).
 */
import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { authorize } from './query-authorizer.ts'
import { answerOf } from './query-answer.ts'
import { unseenJoin } from './query-joins.ts'
import { isDamage } from '../../files/open.ts'
import type { QueryJob, QueryLimits, QueryOutcome } from './query-messages.ts'
import { messageOf } from '../../../../domain/errors.ts'

// Where a question and a request want the same core, the request goes first.
setPriority(constants.priority.PRIORITY_LOW)

/** For the watching thread: when the question at hand is to be done (0: none is), and the memory it may take. */
const watched = new Float64Array(new SharedArrayBuffer(16))
new Worker(new URL('./query-watch.ts', import.meta.url), { workerData: watched }).unref()

/** Of one text or blob, in bytes; and what a statement may be made of. */
const SIZES = {
  length: 4_000_000,
  sqlLength: 100_000,
  column: 1_000,
  exprDepth: 200,
  compoundSelect: 50,
  attach: 0,
}

process.on('message', ({ path, sql, readable, limits }: QueryJob) => {
  watched[1] = process.memoryUsage.rss() + limits.memoryBytes
  watched[0] = Date.now() + limits.milliseconds
  const outcome = answer({ path, sql, readable, limits })
  watched[0] = 0
  process.send!(outcome)
})
process.on('disconnect', () => process.exit())

/** What cannot even be opened is not a fault of the statement. */
function answer({ path, sql, readable, limits }: QueryJob): QueryOutcome {
  try {
    return run(path, sql, readable, limits)
  } catch (error) {
    return { unavailable: messageOf(error) }
  }
}

function run(path: string, sql: string, readable: QueryJob['readable'], limits: QueryLimits): QueryOutcome {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 })
  try {
    // Memory, not files: what a question sorts is bounded by what the process may take.
    db.exec(
      'PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536',
    )
    db.enableDefensive(true)
    Object.assign(db.limits, SIZES)
    const unseen = unseenJoin(db, sql, readable)
    if (unseen !== undefined) return { fault: unseen }
    const authorizer = authorize(db, readable)
    try {
      return answerOf(db, sql, limits)
    } catch (error) {
      const refusal = authorizer.refusal()
      if (refusal)
        return { fault: refusal.message, ...(refusal.table !== undefined && { table: refusal.table }) }
      const message = messageOf(error)
      // The file is at fault, not the statement.
      if (isDamage(error)) return { unavailable: message }
      return { fault: located(sql, message) }
    }
  } finally {
    db.close()
  }
}

/** SQLite names the word that it stumbled over; where that stands once, the place is known. */
function located(sql: string, message: string): string {
  const word = /^near "(.+?)": /.exec(message)?.[1]
  if (word === undefined) return message
  const at = sql.indexOf(word)
  return at >= 0 && sql.indexOf(word, at + 1) < 0 ? `${message} (at position ${at + 1})` : message
}
