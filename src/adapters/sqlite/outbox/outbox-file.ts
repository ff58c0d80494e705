/** The open file of the embedded outbox: its clock, its position, and how it is written. */
import type { DatabaseSync } from 'node:sqlite'
import { Unavailable } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { Clock } from '../../../ports/clock.ts'
import { positionWaiters, type PositionWaiters } from '../../../domain/events/position-waiters.ts'
import { asUnavailable, transaction } from '../files/open.ts'
import { outboxClock } from './outbox-clock.ts'
import { openOutboxTables } from './outbox-tables.ts'

export interface OutboxFile {
  readonly db: DatabaseSync
  readonly waiters: PositionWaiters
  /** ms; never goes back. */
  now(): number
  position(): Position
  /** Within a transaction. */
  move(position: Position, moment: number): void
  /** Runs `work` as one transaction. @throws Unavailable when it is closed, or the disk cannot do it now */
  writing<T>(work: (moment: number) => T): T
  close(): void
}

export function openOutboxFile(path: string, clock: Clock): OutboxFile {
  const db = openOutboxTables(path)
  const standing = db.prepare('SELECT position, now FROM standing')
  const stood = () => standing.get() as { readonly position: number; readonly now: number }
  const move = db.prepare('UPDATE standing SET position = max(position, ?), now = max(now, ?)')
  const now = outboxClock({ clock, notBefore: stood().now })
  const waiters = positionWaiters()
  waiters.reached(stood().position)
  let isClosed = false
  return {
    db,
    waiters,
    now,
    position: () => stood().position,
    move: (position, moment) => void move.run(position, moment),
    writing(work) {
      if (isClosed) throw new Unavailable('the outbox is closed')
      try {
        return transaction(db, () => work(Math.ceil(now())))
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      waiters.close()
      db.close()
    },
  }
}
