/**
 * The inbox in MongoDB, shared by all processes: one receives, another applies. A row is taken by moving the moment at which it
 * is looked at, so that of two takers one has it.
 */
import { randomUUID } from 'node:crypto'
import type { Collection, Filter } from 'mongodb'
import type { Company } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'
import type { Arrival, Inbox, InboxRow, InboxSelection, InboxState, Settled } from '../../ports/inbox.ts'
import { connect } from './connection.ts'
import { asDomainError, isDuplicate } from './domain-errors.ts'
import { ensureIndexes } from './read-models/indexes.ts'

interface InboxDocument {
  readonly _id: string
  readonly company: Company
  readonly integration: string
  readonly entry: string
  readonly source: string
  readonly payload: string
  readonly received: number
  readonly state: InboxState
  readonly reason: string | null
  readonly arrivals: number
  readonly attempts: number
  readonly due: number | null
  /** As `due`, or until when somebody has taken it; `NEVER` where it is not due. */
  readonly look: number
  /** Who has taken it last. */
  readonly taker: string | null
  readonly subject: string | null
  readonly results: string
}

/** The last moment that a date has. */
const NEVER = 8_640_000_000_000_000
const UNDECIDED: readonly InboxState[] = ['stored', 'waiting']
const INDEXES = [
  { name: 'daybook_look', key: { look: 1, received: 1 } },
  { name: 'daybook_log', key: { company: 1, integration: 1, received: 1 } },
  { name: 'daybook_state', key: { integration: 1, state: 1, subject: 1 } },
  { name: 'daybook_age', key: { received: 1 } },
] as const

export function mongoInbox({ url }: { readonly url: string }): Inbox {
  const connection = connect({ url, definitions: new Map(), silenceMs: 5_000 })
  const rows: Collection<InboxDocument> = connection.database.collection('inbox')
  let indexed: Promise<unknown> | undefined

  const asking = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      await connection.ready()
      indexed ??= ensureIndexes(rows, INDEXES)
      await indexed.catch((error: unknown) => {
        indexed = undefined
        throw error
      })
      return await ask()
    } catch (error) {
      throw asDomainError(error)
    }
  }

  const keepOne = async (arrival: Arrival): Promise<boolean> => {
    try {
      await rows.insertOne(documentOf(arrival))
      return true
    } catch (error) {
      if (!isDuplicate(error)) throw error
      await rows.updateOne({ _id: arrival.id }, { $inc: { arrivals: 1 } })
      return false
    }
  }

  return {
    keep: (arrivals) => asking(() => Promise.all(arrivals.map(keepOne))),
    pending: (integration, most) =>
      asking(() => rows.countDocuments({ integration, state: { $in: [...UNDECIDED] } }, { limit: most })),
    take: (query) => asking(() => takeSome(rows, query, connection.writesAtOnce)),
    settle: (settled, now) =>
      asking(async () => {
        for (const one of settled) await settleOne(rows, one, now)
      }),
    purge: (before, limit) =>
      asking(async () => {
        const old = await rows
          .find({ received: { $lt: before } }, { projection: { _id: 1 } })
          .limit(limit)
          .toArray()
        if (old.length === 0) return 0
        return (await rows.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount
      }),
    list: (company, integration, { state, from, offset, limit }) =>
      asking(async () => {
        const wanted: Filter<InboxDocument> = {
          ...{ company, integration },
          ...(state && { state }),
          ...(from !== undefined && { received: { $gte: from } }),
        }
        const found = rows.find(wanted, { projection: { payload: 0 } })
        const page = await found.sort({ received: -1, _id: -1 }).skip(offset).limit(limit).toArray()
        return { rows: page.map(rowOf), total: await rows.countDocuments(wanted) }
      }),
    get: (company, integration, id) =>
      asking(async () => {
        const found = await rows.findOne({ _id: id, company, integration })
        return found ? rowOf(found) : undefined
      }),
    mark: (company, integration, selection, { state, now }) =>
      asking(async () => {
        const due = state === 'stored' ? now : null
        const marked = { state, due, look: due ?? NEVER, attempts: 0, reason: null }
        const wanted = { company, integration, ...selecting(selection) }
        return (await rows.updateMany(wanted, { $set: marked })).matchedCount
      }),
    close: () => connection.close(),
  }
}

async function takeSome(
  rows: Collection<InboxDocument>,
  { now, until, limit, except }: Parameters<Inbox['take']>[0],
  writesAtOnce: number,
): Promise<InboxRow[]> {
  const due = { look: { $lte: now }, integration: { $nin: [...except] } }
  const found = await rows.find(due).sort({ look: 1, received: 1 }).limit(limit).toArray()
  if (found.length === 0) return []
  const taker = randomUUID()
  const all = found.map(({ _id, look }) => ({
    updateOne: { filter: { _id, look }, update: { $set: { look: until, taker } } },
  }))
  for (let from = 0; from < all.length; from += writesAtOnce)
    await rows.bulkWrite(all.slice(from, from + writesAtOnce), { ordered: false })
  const ids = found.map(({ _id }) => _id)
  const taken = await rows.find({ _id: { $in: ids }, taker }).toArray()
  const place = new Map(ids.map((id, index) => [id, index]))
  return taken.sort((a, b) => place.get(a._id)! - place.get(b._id)!).map(rowOf)
}

async function settleOne(rows: Collection<InboxDocument>, settled: Settled, now: number): Promise<void> {
  const { id, integration, state, reason = null, due = null, subject = null, results } = settled
  const { wakes = [], isUncounted } = settled
  const after = { state, reason, due, look: due ?? NEVER, subject, results: JSON.stringify(results) }
  await rows.updateOne({ _id: id }, { $set: after, $inc: { attempts: isUncounted ? 0 : 1 } })
  if (wakes.length === 0) return
  const waiting = { integration, state: 'waiting', subject: { $in: [...wakes] } } as const
  await rows.updateMany(waiting, { $set: { due: now, look: now } })
}

function selecting(selection: InboxSelection): Filter<InboxDocument> {
  if ('ids' in selection) return { _id: { $in: [...selection.ids] } }
  const { from, to, states } = selection
  return { received: { $gte: from, $lt: to }, state: { $in: [...states] } }
}

function documentOf({ id, receivedAt, reason, ...arrival }: Arrival): InboxDocument {
  const due = arrival.state === 'stored' ? receivedAt : null
  return {
    _id: id,
    ...arrival,
    reason: reason ?? null,
    received: receivedAt,
    arrivals: 1,
    attempts: 0,
    due,
    look: due ?? NEVER,
    taker: null,
    subject: null,
    results: '[]',
  }
}

function rowOf({ _id, received, look: _look, taker: _taker, ...row }: InboxDocument): InboxRow {
  return {
    ...row,
    id: _id,
    receivedAt: received,
    reason: row.reason ?? undefined,
    due: row.due ?? undefined,
    subject: row.subject ?? undefined,
    results: JSON.parse(row.results) as Json,
  }
}
