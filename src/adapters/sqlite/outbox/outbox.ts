/**
 * The embedded outbox: a file of its own, written by the one process that has the data folder.
 *
 * What is filled in and how far that has come is one transaction. Synchronous inside; it lives in the webhooks thread.
 */
import { Unavailable } from '../../../domain/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Message, NewDelivery, Replay } from '../../../ports/delivery-log.ts'
import type { Due, Endpoint, Outbox, OutboxChange, Outcome } from '../../../ports/outbox.ts'
import { outboxClock } from './outbox-clock.ts'
import { asUnavailable, transaction } from '../files/open.ts'
import { outboxLog } from './outbox-log.ts'
import { openOutboxTables } from './outbox-tables.ts'
import { positionWaiters } from '../events/position-waiters.ts'

export interface SqliteOutboxOptions {
  /** The file; made when it is not there. */
  readonly path: string
  readonly clock: Clock
}

/** Rows looked at for one answer. When all belong to records under way, those that end make way for more. */
const MOST_LOOKED_AT = 500
/** Rows forgotten in one go: some milliseconds. */
const PURGE = 500

export function sqliteOutbox({ path, clock }: SqliteOutboxOptions): Outbox {
  const db = openOutboxTables(path)
  const standing = db.prepare('SELECT position, now FROM standing')
  const stood = standing.get() as { position: number; now: number } | undefined
  const now = outboxClock({ clock, notBefore: stood?.now ?? 0 })
  const waiters = positionWaiters()
  waiters.reached(stood?.position ?? 0)
  let closed = false

  const move = db.prepare('UPDATE standing SET position = max(position, ?), now = max(now, ?)')
  const putEndpoint = db.prepare(
    `INSERT INTO endpoints VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET
       json = excluded.json, ordered = excluded.ordered, active = excluded.active,
       failing_since = iif(excluded.active > active, NULL, failing_since)`,
  )
  const forget = db.prepare('DELETE FROM endpoints WHERE key = ?')
  const cancel = db.prepare(
    `UPDATE deliveries SET state = 'cancelled', ended = ? WHERE endpoint = ? AND state = 'pending'`,
  )
  const putMessage = db.prepare(
    'INSERT INTO messages (id, company, event, record, position, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const messageNumber = db.prepare('SELECT n, record, event FROM messages WHERE id = ?')
  const putDelivery = db.prepare(
    `INSERT INTO deliveries (id, endpoint, message, record, event, state, due, created_at)
       VALUES (?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING`,
  )
  const allEndpoints = db.prepare('SELECT json FROM endpoints')
  const oneEndpoint = db.prepare('SELECT json FROM endpoints WHERE key = ?')
  const standingOf = db.prepare('SELECT active, ordered FROM endpoints WHERE key = ?')
  const DUE = `SELECT d.id, d.record, d.due, d.attempts, m.id AS message, m.company, m.event, m.position, m.body
    FROM deliveries d JOIN messages m ON m.n = d.message
    WHERE d.endpoint = ? AND d.state = 'pending'`
  const dueRows = db.prepare(`${DUE} ORDER BY d.due, d.seq`)
  const dueInOrder = db.prepare(
    `${DUE} AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.endpoint = d.endpoint AND e.record = d.record
       AND e.state = 'pending' AND e.seq < d.seq) ORDER BY d.due, d.seq`,
  )
  const settleOne = db.prepare(
    `UPDATE deliveries SET state = ?, due = ?, ended = ?, attempts = attempts + 1, log = json_insert(log, '$[#]', json(?))
       WHERE id = ? AND state = 'pending'`,
  )
  const healthy = db.prepare(
    'UPDATE endpoints SET failing_since = NULL WHERE key = ? AND failing_since IS NOT NULL',
  )
  const failing = db.prepare(
    'UPDATE endpoints SET failing_since = coalesce(failing_since, ?) WHERE key = ? RETURNING failing_since',
  )
  const waiting = db.prepare(
    `SELECT key, company FROM endpoints WHERE active = 1 AND EXISTS
       (SELECT 1 FROM deliveries WHERE endpoint = key AND state = 'pending' AND due <= ?)`,
  )
  const firstPending = db.prepare(
    `SELECT min(m.position) AS position FROM deliveries d JOIN messages m ON m.n = d.message
      WHERE d.endpoint = ? AND d.state = 'pending' AND m.position > 0`,
  )
  const putReplay = db.prepare(
    'INSERT INTO replays (id, json, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const openReplays = db.prepare('SELECT json, position FROM replays WHERE done = 0 ORDER BY rowid')
  const moveReplay = db.prepare(
    'UPDATE replays SET position = max(position, ?), done = max(done, ?) WHERE id = ?',
  )
  const ended = db.prepare('SELECT seq, message FROM deliveries WHERE ended <= ? ORDER BY ended LIMIT ?')
  const dropDelivery = db.prepare('DELETE FROM deliveries WHERE seq = ?')
  const dropMessage = db.prepare(
    'DELETE FROM messages WHERE n = ? AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = n)',
  )

  const writing = <T>(work: (moment: number) => T): T => {
    if (closed) throw new Unavailable('the outbox is closed')
    try {
      return transaction(db, () => work(Math.ceil(now())))
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  const addMessage = ({ id, company, event, record, position, body }: Message) =>
    void putMessage.run(id, company, event, record, position, body)
  const addDelivery = ({ id, endpoint, message, createdAt }: NewDelivery, due: number) => {
    const of = messageNumber.get(message) as { n: number; record: string; event: string } | undefined
    if (!of) throw new Error(`there is no message ${message}`)
    putDelivery.run(id, endpoint, of.n, of.record, of.event, due, createdAt)
  }

  const addReplay = (replay: Replay) =>
    void putReplay.run(replay.id, JSON.stringify(replay), replay.after ?? 0)

  const change = (one: OutboxChange, moment: number) => {
    switch (one.op) {
      case 'endpoint': {
        const { key, company, active, ordered } = one.endpoint
        putEndpoint.run(key, company, Number(active), Number(ordered), JSON.stringify(one.endpoint))
        return
      }
      case 'forget':
        forget.run(one.key)
        cancel.run(moment, one.key)
        return
      case 'send':
        addMessage(one.message)
        for (const delivery of one.deliveries) addDelivery(delivery, moment)
        return
      case 'replay':
        addReplay(one.replay)
    }
  }

  const settle = ({ id, endpoint, attempt, succeeded, againInMs }: Outcome, moment: number): number => {
    const again = againInMs !== undefined
    const state = succeeded ? 'delivered' : again ? 'pending' : 'failed'
    const due = moment + (againInMs ?? 0)
    settleOne.run(state, due, again ? null : moment, JSON.stringify(attempt), id)
    if (succeeded) {
      healthy.run(endpoint)
      return 0
    }
    const since = failing.get(moment, endpoint)?.['failing_since'] as number | undefined
    return since === undefined ? 0 : moment - since
  }

  return {
    ...outboxLog({ db }),
    leading: async () => {},
    open: async () => {},
    position: async () => (standing.get() as { position: number } | undefined)?.position ?? 0,
    endpoints: async () => allEndpoints.all().map(({ json }) => JSON.parse(String(json)) as Endpoint),
    async endpoint(key) {
      const row = oneEndpoint.get(key)
      return row && (JSON.parse(String(row['json'])) as Endpoint)
    },
    async store(changes, position) {
      writing((moment) => {
        const { position: before } = standing.get() as { position: number }
        for (const one of changes) if (positionOf(one) > before) change(one, moment)
        move.run(position, moment)
      })
      waiters.reached(position)
    },
    reached: waiters.wait,

    hold: async () => true,
    release: async () => {},
    async due(key, { limit, underWay, records }) {
      const endpoint = standingOf.get(key) as { active: number; ordered: number } | undefined
      if (!endpoint?.active) return undefined
      const moment = now()
      const due: Due[] = []
      const taken = new Set(records)
      let looked = 0
      for (const row of (endpoint.ordered ? dueInOrder : dueRows).iterate(key)) {
        const { id, record, due: at } = row as { id: string; record: string; due: number }
        if (++looked > MOST_LOOKED_AT) return { due, nextInMs: 0 }
        if (underWay.has(id)) continue
        if (at > moment) return { due, nextInMs: Math.ceil(at - moment) }
        // Its turn comes when what is under way for the same record has ended; nobody has to wait for the clock.
        if (taken.has(record)) continue
        if (due.length === limit) return { due, nextInMs: 0 }
        taken.add(record)
        due.push(dueOf(row))
      }
      return { due }
    },
    async settle(outcomes) {
      return writing((moment) => {
        const failingMs = new Map<string, number>()
        for (const outcome of outcomes) failingMs.set(outcome.endpoint, settle(outcome, moment))
        move.run(0, moment)
        return failingMs
      })
    },
    leads: () => true,
    waiting: async (overdueMs) =>
      waiting
        .all(now() - overdueMs)
        .map(({ key, company }) => ({ key: String(key), company: String(company) })),

    async deliveredUpTo(key) {
      const row = oneEndpoint.get(key)
      if (!row) return undefined
      const { company, heldFrom = Infinity } = JSON.parse(String(row['json'])) as Endpoint
      const { position } = standing.get() as { position: number }
      const first = firstPending.get(key)?.['position']
      return { company, upTo: Math.min(position, heldFrom, typeof first === 'number' ? first - 1 : Infinity) }
    },

    async add(message, delivery) {
      writing((moment) => {
        if (message) addMessage(message)
        addDelivery(delivery, moment)
      })
    },
    async replay(replay) {
      writing(() => addReplay(replay))
    },
    replays: async () =>
      openReplays.all().map(({ json, position }) => ({
        ...(JSON.parse(String(json)) as Replay),
        position: Number(position),
      })),
    async advance(replay, changes, position, done) {
      writing((moment) => {
        for (const one of changes) change(one, moment)
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
    async close() {
      if (closed) return
      closed = true
      waiters.close()
      db.close()
    },
  }
}

/** What is filled in came in one transaction with its position, so it need not be looked at again. */
function positionOf(change: OutboxChange): number {
  if (change.op === 'send') return change.message.position
  if (change.op === 'replay') return change.replay.until
  return change.op === 'endpoint' ? change.endpoint.position : change.position
}

function dueOf(row: Record<string, unknown>): Due {
  const text = (name: string) => row[name] as string
  return {
    id: text('id'),
    attempts: row['attempts'] as number,
    message: {
      id: text('message'),
      company: text('company'),
      event: text('event'),
      record: text('record'),
      position: row['position'] as number,
      body: text('body'),
    },
  }
}
