/** What the embedded outbox says about deliveries: lists, single ones with their attempts, the health of endpoints. */
import type { DatabaseSync } from 'node:sqlite'
import type {
  Attempt,
  DeliveryDetail,
  DeliveryLog,
  DeliveryState,
  LoggedDelivery,
  Replay,
} from '../../../ports/delivery-log.ts'

export function outboxLog({ db }: { db: DatabaseSync }): Omit<DeliveryLog, 'reached'> {
  const COLUMNS = `d.id, d.endpoint, m.id AS message, d.event, d.record, d.state, d.due, d.created_at, d.attempts,
    json_extract(d.log, '$[#-1]') AS last`
  const WHERE = `FROM deliveries d JOIN messages m ON m.n = d.message
    WHERE d.endpoint = :endpoint AND m.company = :company
      AND (:state IS NULL OR d.state = :state) AND (:event IS NULL OR d.event = :event)`
  const asking = (where: string) => ({
    page: db.prepare(`SELECT ${COLUMNS} ${where} ORDER BY d.seq DESC LIMIT :limit OFFSET :offset`),
    count: db.prepare(`SELECT count(*) AS total ${where}`),
  })
  const ofAny = asking(WHERE)
  // By the few messages about the record, and not by the many deliveries of the endpoint.
  const ofRecord = asking(
    `${WHERE.replace('d.endpoint =', '+d.endpoint =')} AND m.record = :record AND d.record = :record`,
  )
  const one = db.prepare(
    `SELECT ${COLUMNS}, d.log, m.body FROM deliveries d JOIN messages m ON m.n = d.message
      WHERE d.id = ? AND d.endpoint = ? AND m.company = ?`,
  )
  const healthOf = db.prepare(
    `SELECT failing_since, (SELECT count(*) FROM deliveries WHERE endpoint = key AND state = 'pending') AS pending
      FROM endpoints WHERE key = ? AND company = ?`,
  )

  const replayOf = db.prepare('SELECT json, position, done FROM replays WHERE id = ?')

  return {
    async replayed(company, endpoint, id) {
      const row = replayOf.get(id)
      const replay = row && (JSON.parse(String(row['json'])) as Replay)
      if (replay?.company !== company || replay.endpoint !== endpoint) return undefined
      return { ...replay, position: Number(row?.['position']), done: row?.['done'] === 1 }
    },
    async list(company, endpoint, { state, event, record, offset, limit }) {
      const about = record === undefined ? {} : { record }
      const asked = { company, endpoint, state: state ?? null, event: event ?? null, ...about }
      const { page, count } = record === undefined ? ofAny : ofRecord
      return {
        deliveries: page.all({ ...asked, offset, limit }).map(loggedOf),
        total: Number(count.get(asked)?.['total']),
      }
    },
    async get(company, endpoint, id) {
      const row = one.get(id, endpoint, company)
      if (!row) return undefined
      const log = JSON.parse(String(row['log'])) as Attempt[]
      return { ...loggedOf(row), body: String(row['body']), log } satisfies DeliveryDetail
    },
    health: async (company, endpoints) =>
      endpoints.flatMap((endpoint) => {
        const row = healthOf.get(endpoint, company)
        if (!row) return []
        const since = row['failing_since'] as number | null
        return [
          {
            endpoint,
            pending: Number(row['pending']),
            ...(since !== null && { failingSince: new Date(since).toISOString() }),
          },
        ]
      }),
  }
}

function loggedOf(row: Record<string, unknown>): LoggedDelivery {
  const text = (name: string) => row[name] as string
  const last = row['last'] === null ? undefined : (JSON.parse(text('last')) as Attempt)
  const state = text('state') as DeliveryState
  return {
    id: text('id'),
    endpoint: text('endpoint'),
    message: text('message'),
    event: text('event'),
    record: text('record'),
    state,
    createdAt: text('created_at'),
    attempts: row['attempts'] as number,
    ...(last?.status !== undefined && { lastStatus: last.status }),
    ...(last?.error !== undefined && { lastError: last.error }),
    ...(last && { lastAttemptAt: last.at }),
    ...(state === 'pending' && { nextAttemptAt: new Date(row['due'] as number).toISOString() }),
  }
}
