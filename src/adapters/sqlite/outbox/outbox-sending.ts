/** What a sender asks of the embedded outbox: what is due, and to store what came of it. One process sends to all. */
import type { Attempt } from '../../../ports/delivery-log.ts'
import type { Due, Endpoint, Outcome, Sending } from '../../../ports/outbox.ts'
import type { OutboxFile } from './outbox-file.ts'

/** Rows looked at for one answer. When all belong to records under way, those that end make way for more. */
const MOST_LOOKED_AT = 500

const DUE = `SELECT d.id, d.record, d.due, d.attempts, m.id AS message, m.company, m.event, m.position, m.body
  FROM deliveries d JOIN messages m ON m.n = d.message
  WHERE d.endpoint = ? AND d.state = 'pending'`

export function outboxSending({ db, now, writing, move }: OutboxFile): Sending {
  const oneEndpoint = db.prepare('SELECT json FROM endpoints WHERE key = ?')
  const standingOf = db.prepare('SELECT active, ordered FROM endpoints WHERE key = ?')
  const dueRows = db.prepare(`${DUE} ORDER BY d.due, d.seq`)
  const dueInOrder = db.prepare(
    `${DUE} AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.endpoint = d.endpoint AND e.record = d.record
       AND e.state = 'pending' AND e.seq < d.seq) ORDER BY d.due, d.seq`,
  )
  const settleOne = settling(db)

  return {
    hold: async () => true,
    release: async () => {},
    async endpoint(key) {
      const row = oneEndpoint.get(key)
      return row && (JSON.parse(String(row['json'])) as Endpoint)
    },
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
    settle: async (outcomes) =>
      writing((moment) => {
        const failingMs = new Map<string, number>()
        for (const outcome of outcomes) failingMs.set(outcome.endpoint, settleOne(outcome, moment))
        move(0, moment)
        return failingMs
      }),
  }
}

/** Stores one outcome, and answers for how long its endpoint has only failed, in ms. */
function settling(db: OutboxFile['db']): (outcome: Outcome, moment: number) => number {
  const store = db.prepare(
    `UPDATE deliveries SET state = ?, due = ?, ended = ?, attempts = attempts + 1, log = json_insert(log, '$[#]', json(?))
       WHERE id = ? AND state = 'pending'`,
  )
  const healthy = db.prepare(
    'UPDATE endpoints SET failing_since = NULL WHERE key = ? AND failing_since IS NOT NULL',
  )
  const failing = db.prepare(
    'UPDATE endpoints SET failing_since = coalesce(failing_since, ?) WHERE key = ? RETURNING failing_since',
  )
  const hold = db.prepare(`UPDATE deliveries SET due = ? WHERE id = ? AND state = 'pending'`)
  return ({ id, endpoint, attempt, succeeded, againInMs, isHeld }, moment) => {
    if (isHeld) {
      hold.run(moment + (againInMs ?? 0), id)
      return 0
    }
    const again = againInMs !== undefined
    const state = succeeded ? 'delivered' : again ? 'pending' : 'failed'
    const text = JSON.stringify(attempt satisfies Attempt)
    store.run(state, moment + (againInMs ?? 0), again ? null : moment, text, id)
    if (succeeded) {
      healthy.run(endpoint)
      return 0
    }
    const since = failing.get(moment, endpoint)?.['failing_since'] as number | undefined
    return since === undefined ? 0 : moment - since
  }
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
