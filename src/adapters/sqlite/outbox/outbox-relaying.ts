/** What the relay asks of the embedded outbox: who waits, replays, marks, and to forget what is old. */
import type { Replay } from '../../../ports/delivery-log.ts'
import type { Endpoint, Marking, Relaying } from '../../../ports/outbox.ts'
import type { OutboxChanges } from './outbox-changes.ts'
import type { OutboxFile } from './outbox-file.ts'

/** Rows forgotten in one go: some milliseconds. */
const PURGE = 500

export function outboxRelaying({ db, now, writing }: OutboxFile, changes: OutboxChanges): Relaying {
  const waiting = db.prepare(
    `SELECT key, company FROM endpoints WHERE active = 1 AND EXISTS
       (SELECT 1 FROM deliveries WHERE endpoint = key AND state = 'pending' AND due <= ?)`,
  )
  const openReplays = db.prepare('SELECT json, position FROM replays WHERE done = 0 ORDER BY rowid')
  const moveReplay = db.prepare(
    'UPDATE replays SET position = max(position, ?), done = max(done, ?) WHERE id = ?',
  )
  const ended = db.prepare('SELECT seq, message FROM deliveries WHERE ended <= ? ORDER BY ended LIMIT ? + 0')
  const dropDelivery = db.prepare('DELETE FROM deliveries WHERE seq = ?')
  const dropMessage = db.prepare(
    'DELETE FROM messages WHERE n = ? AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = n)',
  )
  return {
    leads: () => true,
    waiting: async (overdueMs) =>
      waiting
        .all(now() - overdueMs)
        .map(({ key, company }) => ({ key: String(key), company: String(company) })),
    replays: async () =>
      openReplays.all().map(({ json, position }) => ({
        ...(JSON.parse(String(json)) as Replay),
        position: Number(position),
      })),
    async advance(replay, made, position, done) {
      writing((moment) => {
        for (const one of made) changes.make(one, moment)
        moveReplay.run(position, Number(done), replay)
      })
    },
    purge: async (olderThanMs) =>
      writing((moment) => {
        const old = ended.all(moment - olderThanMs, PURGE)
        for (const { seq, message } of old) {
          dropDelivery.run(Number(seq))
          dropMessage.run(Number(message))
        }
        return old.length
      }),
  }
}

export function outboxMarking({ db, position }: OutboxFile): Marking {
  const one = db.prepare('SELECT json FROM endpoints WHERE key = ?')
  const firstPending = db.prepare(
    `SELECT min(m.position) AS position FROM deliveries d JOIN messages m ON m.n = d.message
      WHERE d.endpoint = ? AND d.state = 'pending' AND m.position > 0`,
  )
  return {
    async deliveredUpTo(key) {
      const row = one.get(key)
      if (!row) return undefined
      const { company, heldFrom = Infinity } = JSON.parse(String(row['json'])) as Endpoint
      const first = firstPending.get(key)?.['position']
      return {
        company,
        upTo: Math.min(position(), heldFrom, typeof first === 'number' ? first - 1 : Infinity),
      }
    },
  }
}
