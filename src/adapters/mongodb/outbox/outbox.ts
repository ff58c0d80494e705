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
import { MOST_REPLAYS } from '../../../ports/delivery-log.ts'
import type { Outbox } from '../../../ports/outbox.ts'
import { connect } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { LEASE_MS, newHolder, seekLease } from '../lease.ts'
import { outboxChanges } from './outbox-changes.ts'
import { outboxControl } from './outbox-control.ts'
import { OUTBOX, outboxCollections } from './outbox-documents.ts'
import { dueOf } from './outbox-due.ts'
import { outboxFilling } from './outbox-filling.ts'
import { outboxHolds, RENEW_HOLDS_MS } from './outbox-holds.ts'
import { outboxLog } from './outbox-log.ts'
import { outboxMarking, outboxRelaying } from './outbox-relaying.ts'
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

const LOOK_MS = 50

export function mongoOutbox(options: MongoOutboxOptions): Outbox {
  const { url, clock, fills = true, leaseMs = LEASE_MS, onTrouble = () => {} } = options
  const connection = connect({ url, definitions: new Map() })
  const collections = outboxCollections(connection.database)
  const { leases, standing, endpoints } = collections
  const holder = newHolder()
  const start = clock.now() - clock.elapsed()
  const now = () => Math.ceil(start + clock.elapsed())
  const { ready } = connection
  const seeking = { leases, ready, id: OUTBOX, holder, leaseMs, onTaken: () => {}, onTrouble }
  const lease = fills ? seekLease(seeking) : undefined
  let isClosed = false

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new Unavailable('the outbox is closed')
    try {
      await ready()
      return await work()
    } catch (error) {
      throw asWriteError(error)
    }
  }
  const log = outboxLog(collections)
  const changing = outboxChanges(collections)
  const holding = outboxHolds(collections, { holder, now })
  const control = outboxControl(standing, OUTBOX)
  const leads = () => lease?.term() !== undefined
  const sharing = { collections, id: OUTBOX, lease, leaseMs, now, guarded, isClosed: () => isClosed }
  const filling = outboxFilling({ ...sharing, onTrouble })
  const marking = outboxMarking(collections, filling.position)
  // A hold that cannot be kept up runs out.
  const renewing = setInterval(() => void guarded(holding.renew).catch(() => {}), RENEW_HOLDS_MS)
  renewing.unref()

  return {
    ...filling,
    ...outboxRelaying({ collections, holding, leads, now, guarded }),
    deliveredUpTo: (key) => guarded(() => marking.deliveredUpTo(key)),
    list: (company, endpoint, query) => guarded(() => log.list(company, endpoint, query)),
    get: (company, endpoint, id) => guarded(() => log.get(company, endpoint, id)),
    replayed: (company, endpoint, id) => guarded(() => log.replayed(company, endpoint, id)),
    health: (company, keys) => guarded(() => log.health(company, keys)),
    endpoint: (key) => guarded(async () => (await endpoints.findOne({ _id: key }))?.endpoint ?? undefined),
    hold: (endpoint) => guarded(() => holding.hold(endpoint)),
    release: (endpoint) => guarded(() => holding.release(endpoint)),
    due: (endpoint, wanted) => guarded(() => dueOf(collections, endpoint, wanted, now())),
    settle: (outcomes) => guarded(() => settleOutcomes(collections, outcomes, now())),
    add: (message, delivery) => guarded(() => changing.add(message, delivery, now())),
    replay: (replay) =>
      guarded(async () => {
        const isOpen = { done: false, 'replay.endpoint': replay.endpoint, _id: { $ne: replay.id } }
        if ((await collections.replays.countDocuments(isOpen)) >= MOST_REPLAYS) return false
        await changing.addReplay(replay)
        return true
      }),
    control: {
      show: (error) => guarded(() => control.show(error)),
      shown: () => guarded(control.shown),
      askToResume: () => guarded(control.askToResume),
      isAskedToResume: () => guarded(control.isAskedToResume),
    },
    async reached(position, timeoutMs) {
      const end = performance.now() + timeoutMs
      for (;;) {
        if ((await filling.position().catch(() => 0)) >= position) return true
        if (isClosed || performance.now() + LOOK_MS > end) return false
        await delay(LOOK_MS)
      }
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
