/**
 * The embedded outbox: a file of its own, written by the one process that has the data folder.
 *
 * What is filled in and how far that has come is one transaction. Synchronous inside; it lives in the webhooks thread.
 */
import type { Clock } from '../../../ports/clock.ts'
import { MOST_REPLAYS, type Resending } from '../../../ports/delivery-log.ts'
import type { Endpoint, Filling, Outbox, OutboxChange } from '../../../ports/outbox.ts'
import { outboxChanges, type OutboxChanges } from './outbox-changes.ts'
import { openOutboxFile, type OutboxFile } from './outbox-file.ts'
import { outboxLog } from './outbox-log.ts'
import { outboxMarking, outboxRelaying } from './outbox-relaying.ts'
import { outboxSending } from './outbox-sending.ts'

export interface SqliteOutboxOptions {
  /** The file; made when it is not there. */
  readonly path: string
  readonly clock: Clock
}

export function sqliteOutbox({ path, clock }: SqliteOutboxOptions): Outbox {
  const file = openOutboxFile(path, clock)
  const changes = outboxChanges(file.db)
  return {
    ...outboxLog(file),
    ...outboxFilling(file, changes),
    ...outboxSending(file),
    ...outboxRelaying(file, changes),
    ...outboxMarking(file),
    ...outboxResending(file, changes),
    reached: file.waiters.wait,
    close: async () => file.close(),
  }
}

function outboxFilling(
  { db, position, move, writing, waiters }: OutboxFile,
  changes: OutboxChanges,
): Filling {
  const allEndpoints = db.prepare('SELECT json FROM endpoints')
  return {
    leading: async () => {},
    open: async () => {},
    position: async () => position(),
    endpoints: async () => allEndpoints.all().map(({ json }) => JSON.parse(String(json)) as Endpoint),
    async store(made, upTo) {
      writing((moment) => {
        const before = position()
        for (const one of made) if (positionOf(one) > before) changes.make(one, moment)
        move(upTo, moment)
      })
      waiters.reached(upTo)
    },
  }
}

function outboxResending({ db, writing }: OutboxFile, changes: OutboxChanges): Resending {
  const openOf = db.prepare(
    `SELECT count(*) AS count FROM replays WHERE done = 0 AND json ->> 'endpoint' = ? AND id <> ?`,
  )
  return {
    async add(message, delivery) {
      writing((moment) => {
        if (message) changes.addMessage(message)
        changes.addDelivery(delivery, moment)
      })
    },
    replay: async (replay) =>
      writing(() => {
        const isRoom = Number(openOf.get(replay.endpoint, replay.id)?.['count']) < MOST_REPLAYS
        if (isRoom) changes.addReplay(replay)
        return isRoom
      }),
  }
}

/** What is filled in came in one transaction with its position, so it need not be looked at again. */
function positionOf(change: OutboxChange): number {
  if (change.op === 'send') return change.message.position
  if (change.op === 'replay') return change.replay.until
  return change.op === 'endpoint' ? change.endpoint.position : change.position
}
