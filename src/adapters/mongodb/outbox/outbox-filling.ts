/** Filling the outbox on MongoDB: by one process at a time, which holds the lease, in its term of it. */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../domain/errors.ts'
import type { Filling } from '../../../ports/outbox.ts'
import { isDuplicate } from '../domain-errors.ts'
import type { Lease } from '../lease.ts'
import { outboxChanges } from './outbox-changes.ts'
import { ensureOutboxIndexes, type OutboxCollections } from './outbox-documents.ts'

export interface FillingOptions {
  readonly collections: OutboxCollections
  /** `_id` of the outbox's standing. */
  readonly id: string
  /** Undefined: this process never fills it. */
  readonly lease: Lease | undefined
  readonly leaseMs: number
  /** ms, by this machine's clock. */
  readonly now: () => number
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>
  readonly isClosed: () => boolean
  readonly onTrouble: (message: string, error: unknown) => void
}

/** A clock that was further ahead than this was wrong: nothing waits for it. */
const MOST_AHEAD_MS = 60_000
const NOT_HERE = 'this process does not fill the outbox'

export function outboxFilling(options: FillingOptions): Filling {
  const { collections, id: _id, lease, leaseMs, now, guarded, isClosed, onTrouble } = options
  const { standing, endpoints } = collections
  const changing = outboxChanges(collections)
  /** In which this process fills. */
  let term: number | undefined
  /** ms: what is filled in now comes after what others filled in before, whatever their clocks said. */
  let floor = 0
  const moment = () => {
    const at = now()
    floor = floor - at > MOST_AHEAD_MS ? at : Math.max(at, floor)
    return floor
  }

  /** From now on nothing is moved in an earlier term. */
  const enter = async (held: number) => {
    await standing.updateOne({ _id, term: { $lt: held } }, { $set: { term: held } })
    floor = (await standing.findOne({ _id }))?.now ?? 0
  }

  /** @throws Unavailable when others may have filled since: what this process believes of the outbox may be old */
  const leads = async (): Promise<number> => {
    const held = await lease?.held(leaseMs / 3)
    if (held === undefined) throw new Unavailable(NOT_HERE)
    if (held === term) return held
    await enter(held)
    term = held
    throw new Unavailable('another process may have filled the outbox meanwhile')
  }

  const leading = async () => {
    if (!lease) throw new Unavailable(NOT_HERE)
    for (;;) {
      term = await lease.held()
      try {
        return await guarded(() => prepare(collections))
      } catch (error) {
        if (isClosed()) throw error
        onTrouble('the outbox cannot be filled for now', error)
        await delay(leaseMs / 6)
      }
    }
  }

  return {
    leading,
    open: () =>
      guarded(async () => {
        await standing.insertOne({ _id, term: term ?? 0, position: 0 }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error
        })
        if (term !== undefined) await enter(term)
      }),
    position: () => guarded(async () => (await standing.findOne({ _id }))?.position ?? 0),
    endpoints: () =>
      guarded(async () => {
        const found = await endpoints.find({ endpoint: { $ne: null } }).toArray()
        return found.flatMap(({ endpoint }) => endpoint ?? [])
      }),
    store: (changes, position) =>
      guarded(async () => {
        const held = await leads()
        const at = moment()
        await changing.make(changes, at)
        const moved = await standing.updateOne({ _id, term: held }, { $max: { position, now: at } })
        if (moved.matchedCount !== 1) throw new Unavailable('another process fills the outbox by now')
      }),
  }
}

async function prepare(collections: OutboxCollections): Promise<void> {
  await ensureOutboxIndexes(collections)
  // Kept by an earlier version, without what is due: one look at each finds out.
  await collections.endpoints.updateMany(
    { filled: { $exists: false }, due: { $exists: false } },
    { $set: { due: 0 } },
  )
}
