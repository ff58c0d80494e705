/**
 * The outbox on MongoDB, shared by all processes with the role `webhooks`: one of them, which holds the lease, fills it;
 * all of them send, each endpoint by one at a time.
 *
 * MongoDB is not asked for transactions; see `outbox-changes.ts` for what takes their place. Times are those of the
 * machines' clocks, which must agree within some seconds; where they do not, a delivery may come twice or late, and none
 * is lost.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../domain/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Outbox } from '../../../ports/outbox.ts'
import { connect } from '../connection.ts'
import { asDomainError, isDuplicate } from '../domain-errors.ts'
import { LEASE_MS, newHolder, seekLease } from '../lease.ts'
import { outboxChanges } from './outbox-changes.ts'
import { outboxControl } from './outbox-control.ts'
import { ensureOutboxIndexes, outboxCollections } from './outbox-documents.ts'
import { dueOf } from './outbox-due.ts'
import { outboxHolds, RENEW_HOLDS_MS } from './outbox-holds.ts'
import { outboxLog } from './outbox-log.ts'
import { settleOutcomes } from './outbox-settle.ts'

export interface MongoOutboxOptions {
  /** `mongodb://…`; the database it names, else `daybook`. */
  readonly url: string
  readonly clock: Clock
  /** Whether this process may be the one that fills it. */
  readonly fills?: boolean
  readonly leaseMs?: number
  readonly onTrouble?: (message: string, error: unknown) => void
}

const OUTBOX = 'outbox'
const LOOK_MS = 50
const PURGE = 500
/** Endpoints that one sweep answers. */
const MOST_WAITING = 10_000
/** A clock that was further ahead than this was wrong: nothing waits for it. */
const MOST_AHEAD_MS = 60_000

export function mongoOutbox(options: MongoOutboxOptions): Outbox {
  const { url, clock, fills = true, leaseMs = LEASE_MS, onTrouble = () => {} } = options
  const connection = connect({ url, definitions: new Map() })
  const collections = outboxCollections(connection.database)
  const { leases, standing, endpoints, messages, deliveries, replays } = collections
  const holder = newHolder()
  const start = clock.now() - clock.elapsed()
  const now = () => Math.ceil(start + clock.elapsed())
  const log = outboxLog(collections)
  const changing = outboxChanges(collections)
  const holding = outboxHolds(collections, { holder, now })
  let isClosed = false
  /** In which this process fills. */
  let term: number | undefined
  /** ms: what is filled in now comes after what others filled in before, whatever their clocks said. */
  let floor = 0
  const moment = () => {
    const at = now()
    floor = floor - at > MOST_AHEAD_MS ? at : Math.max(at, floor)
    return floor
  }
  const lease = fills
    ? seekLease({
        leases,
        ready: connection.ready,
        id: OUTBOX,
        holder,
        leaseMs,
        onTaken: () => {},
        onTrouble,
      })
    : undefined

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new Unavailable('the outbox is closed')
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      throw asDomainError(error)
    }
  }
  // A hold that cannot be kept up runs out.
  const renewing = setInterval(() => void guarded(holding.renew).catch(() => {}), RENEW_HOLDS_MS)
  renewing.unref()

  const leading = async () => {
    if (!lease) throw new Unavailable('this process does not fill the outbox')
    for (;;) {
      term = await lease.held()
      try {
        return await guarded(async () => {
          await ensureOutboxIndexes(collections)
          // Kept by an earlier version, without what is due: one look at each finds out.
          await endpoints.updateMany(
            { filled: { $exists: false }, due: { $exists: false } },
            { $set: { due: 0 } },
          )
        })
      } catch (error) {
        if (isClosed) throw error
        onTrouble('the outbox cannot be filled for now', error)
        await delay(leaseMs / 6)
      }
    }
  }

  /** From now on nothing is moved in an earlier term. */
  const enter = async (held: number) => {
    await standing.updateOne({ _id: OUTBOX, term: { $lt: held } }, { $set: { term: held } })
    floor = (await standing.findOne({ _id: OUTBOX }))?.now ?? 0
  }

  /** @throws Unavailable when others may have filled since: what this process believes of the outbox may be old */
  const leads = async (): Promise<number> => {
    const held = await lease?.held(leaseMs / 3)
    if (held === undefined) throw new Unavailable('this process does not fill the outbox')
    if (held === term) return held
    await enter(held)
    term = held
    throw new Unavailable('another process may have filled the outbox meanwhile')
  }

  const control = outboxControl(standing, OUTBOX)
  const positionNow = async () => (await standing.findOne({ _id: OUTBOX }))?.position ?? 0

  return {
    list: (company, endpoint, query) => guarded(() => log.list(company, endpoint, query)),
    get: (company, endpoint, id) => guarded(() => log.get(company, endpoint, id)),
    health: (company, keys) => guarded(() => log.health(company, keys)),
    leading,
    open: () =>
      guarded(async () => {
        const first = { _id: OUTBOX, term: term ?? 0, position: 0 }
        await standing.insertOne(first).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error
        })
        if (term !== undefined) await enter(term)
      }),
    position: () => guarded(positionNow),
    endpoints: () =>
      guarded(async () =>
        (await endpoints.find({ endpoint: { $ne: null } }).toArray()).flatMap(
          ({ endpoint }) => endpoint ?? [],
        ),
      ),
    endpoint: (key) => guarded(async () => (await endpoints.findOne({ _id: key }))?.endpoint ?? undefined),
    store: (changes, position) =>
      guarded(async () => {
        const held = await leads()
        const at = moment()
        await changing.make(changes, at)
        const { matchedCount } = await standing.updateOne(
          { _id: OUTBOX, term: held },
          { $max: { position, now: at } },
        )
        if (matchedCount !== 1) throw new Unavailable('another process fills the outbox by now')
      }),
    async reached(position, timeoutMs) {
      const end = performance.now() + timeoutMs
      for (;;) {
        const there = await guarded(positionNow).catch(() => 0)
        if (there >= position) return true
        if (isClosed || performance.now() + LOOK_MS > end) return false
        await delay(LOOK_MS)
      }
    },

    hold: (endpoint) => guarded(() => holding.hold(endpoint)),
    release: (endpoint) => guarded(() => holding.release(endpoint)),
    due: (endpoint, wanted) => guarded(() => dueOf(collections, endpoint, wanted, now())),
    settle: (outcomes) => guarded(() => settleOutcomes(collections, outcomes, now())),
    leads: () => lease?.term() !== undefined,
    waiting: (overdueMs) =>
      guarded(async () => {
        const found = await endpoints
          .find({ active: true, due: { $lte: now() - overdueMs } })
          .sort({ due: 1 })
          .limit(MOST_WAITING)
          .toArray()
        const held = await holding.held(found.map(({ _id }) => _id))
        return found.filter(({ _id }) => !held.has(_id)).map(({ _id: key, company }) => ({ key, company }))
      }),

    deliveredUpTo: (key) =>
      guarded(async () => {
        const position = await positionNow()
        const known = (await endpoints.findOne({ _id: key }))?.endpoint
        if (!known) return undefined
        const pending = { endpoint: key, state: 'pending', position: { $gt: 0 } } as const
        const [first] = await deliveries.find(pending).sort({ position: 1 }).limit(1).toArray()
        const upTo = Math.min(position, known.heldFrom ?? Infinity, first ? first.position - 1 : Infinity)
        return { company: known.company, upTo }
      }),

    add: (message, delivery) => guarded(() => changing.add(message, delivery, now())),
    replay: (replay) => guarded(() => changing.addReplay(replay)),
    replays: () =>
      guarded(async () => {
        if (lease?.term() === undefined) return []
        const open = await replays.find({ done: false }).sort({ _id: 1 }).toArray()
        return open.map(({ replay, position }) => ({ ...replay, position }))
      }),
    advance: (replay, changes, position, done) =>
      guarded(async () => {
        await changing.make(changes, now())
        await replays.updateOne({ _id: replay }, { $max: { position }, ...(done && { $set: { done } }) })
      }),

    purge: (olderThanMs) =>
      guarded(async () => {
        const old = await deliveries
          .find({ ended: { $ne: null, $lte: now() - olderThanMs } }, { projection: { message: 1 } })
          .limit(PURGE)
          .toArray()
        if (old.length === 0) return 0
        await deliveries.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })
        const of = [...new Set(old.map(({ message }) => message))]
        const kept = new Set(await deliveries.distinct('message', { message: { $in: of } }))
        await messages.deleteMany({ _id: { $in: of.filter((message) => !kept.has(message)) } })
        return old.length
      }),
    control: {
      show: (error) => guarded(() => control.show(error)),
      shown: () => guarded(control.shown),
      askToResume: () => guarded(control.askToResume),
      isAskedToResume: () => guarded(control.isAskedToResume),
    },
    async close() {
      if (isClosed) return
      clearInterval(renewing)
      isClosed = true
      await lease?.close()
      await connection.close()
    },
  }
}
