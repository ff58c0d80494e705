/**
 * The inbox in a file of its own, `inbox.db`. What arrives at the same time shares a commit, which is on the disk before any of
 * it is answered. One process has the file: what it had taken when it died is due at once when it starts again.
 */
import type { SQLInputValue } from 'node:sqlite'
import { Unavailable } from '../../../domain/errors.ts'
import type { Arrival, Inbox, InboxLog, InboxSelection } from '../../../ports/inbox.ts'
import { asUnavailable, isFsyncFailure, openForWriting, transaction } from '../files/open.ts'
import { sharingCommits } from './sharing-commits.ts'
import { rowOf } from './rows.ts'
import { SCHEMA } from './schema.ts'

const UNDECIDED = `state IN ('stored', 'waiting')`

export function sqliteInbox(path: string): Inbox {
  const db = openForWriting({ path, synchronous: 'FULL', cacheMegabytes: 8 })
  db.exec(`PRAGMA wal_autocheckpoint = 1000; ${SCHEMA}; UPDATE inbox SET look = due WHERE look <> due`)
  const statements = statementsOf(db)
  let broken: string | undefined

  const asking = <T>(ask: () => T): T => {
    if (broken !== undefined) throw new Unavailable(broken)
    try {
      return ask()
    } catch (error) {
      // Whatever is written after it may be on the disk or not: nothing is answered for any more.
      if (isFsyncFailure(error)) broken = 'the disk has refused to keep the inbox; restart the service'
      throw asUnavailable(error)
    }
  }
  const keepOne = ({ id, company, integration, entry, source, payload, ...arrival }: Arrival): boolean => {
    const { receivedAt, state, reason = null } = arrival
    const due = state === 'stored' ? receivedAt : null
    const given = [id, company, integration, entry, source, payload, receivedAt, state, reason, due, due]
    const isNew = statements.insert.run(...given).changes === 1
    if (!isNew) statements.again.run(id)
    return isNew
  }

  const keep = sharingCommits((some: readonly (readonly Arrival[])[]) =>
    asking(() => transaction(db, () => some.map((arrivals) => arrivals.map(keepOne)))),
  )

  return {
    keep,
    pending: async (integration, most) =>
      asking(() => Number(statements.pending.get(integration, most)!['count'])),
    take: async ({ now, until, limit, except }) =>
      asking(() =>
        transaction(db, () => statements.take.all(now, JSON.stringify(except), limit).map(rowOf)).map(
          (row) => {
            statements.lease.run(until, row.id)
            return row
          },
        ),
      ),
    settle: async (settled, now) =>
      asking(() =>
        transaction(db, () => {
          for (const one of settled) {
            const { id, integration, state, reason, due, subject, results, wakes = [] } = one
            const [at = null, why = null, about = null] = [due, reason, subject]
            const counted = one.isUncounted ? 0 : 1
            statements.settle.run(state, why, at, at, about, JSON.stringify(results), counted, id)
            for (const woken of wakes) statements.wake.run(now, now, integration, woken)
          }
        }),
      ),
    purge: async (before, limit) => asking(() => Number(statements.purge.run(before, limit).changes)),
    ...logOf(db, statements, asking),
    async close() {
      if (db.isOpen) db.close()
    },
  }
}

function logOf(
  db: ReturnType<typeof openForWriting>,
  statements: ReturnType<typeof statementsOf>,
  asking: <T>(ask: () => T) => T,
): InboxLog {
  return {
    list: async (company, integration, { state, from = 0, offset, limit }) =>
      asking(() => {
        const of = [company, integration, from, state ?? '*', state ?? '*']
        const rows = statements.list.all(...of, limit, offset)
        const { count } = statements.count.get(...of) as { count: number }
        return { rows: rows.map(rowOf), total: count }
      }),
    get: async (company, integration, id) =>
      asking(() => {
        const row = statements.get.get(company, integration, id)
        return row && rowOf(row)
      }),
    mark: async (company, integration, selection, { state, now }) =>
      asking(() => {
        const due = state === 'stored' ? now : null
        const { sql, values } = selecting(selection)
        const marked = db
          .prepare(
            `UPDATE inbox SET state = ?, due = ?, look = ?, attempts = 0, reason = NULL
             WHERE company = ? AND integration = ? AND ${sql}`,
          )
          .run(state, due, due, company, integration, ...values)
        return Number(marked.changes)
      }),
  }
}

function selecting(selection: InboxSelection): { readonly sql: string; readonly values: SQLInputValue[] } {
  if ('ids' in selection)
    return { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(selection.ids)] }
  const { from, to, states } = selection
  return {
    sql: 'received >= ? AND received < ? AND state IN (SELECT value FROM json_each(?))',
    values: [from, to, JSON.stringify(states)],
  }
}

const LOGGED =
  'id, company, integration, entry, source, received, state, reason, arrivals, attempts, due, subject, results'

function statementsOf(db: ReturnType<typeof openForWriting>) {
  const listed = `FROM inbox WHERE company = ? AND integration = ? AND received >= ? AND (? = '*' OR state = ?)`
  return {
    insert: db.prepare(
      `INSERT INTO inbox (id, company, integration, entry, source, payload, received, state, reason, due, look)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    again: db.prepare('UPDATE inbox SET arrivals = arrivals + 1 WHERE id = ?'),
    pending: db.prepare(
      `SELECT count(*) AS count FROM (SELECT 1 FROM inbox WHERE integration = ? AND ${UNDECIDED} LIMIT ? + 0)`,
    ),
    take: db.prepare(
      `SELECT * FROM inbox WHERE look <= ? AND integration NOT IN (SELECT value FROM json_each(?))
       ORDER BY look, number LIMIT ? + 0`,
    ),
    lease: db.prepare('UPDATE inbox SET look = ? WHERE id = ?'),
    settle: db.prepare(
      `UPDATE inbox SET state = ?, reason = ?, due = ?, look = ?, subject = ?, results = ?, attempts = attempts + ?
       WHERE id = ?`,
    ),
    wake: db.prepare(
      `UPDATE inbox SET due = ?, look = ? WHERE integration = ? AND state = 'waiting' AND subject = ?`,
    ),
    purge: db.prepare(
      'DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE received < ? ORDER BY received LIMIT ? + 0)',
    ),
    list: db.prepare(
      `SELECT ${LOGGED} ${listed} ORDER BY received DESC, number DESC LIMIT ? + 0 OFFSET ? + 0`,
    ),
    count: db.prepare(`SELECT count(*) AS count ${listed}`),
    get: db.prepare('SELECT * FROM inbox WHERE company = ? AND integration = ? AND id = ?'),
  }
}
