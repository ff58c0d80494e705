/** What the relay asks of the outbox on MongoDB: who waits, replays, marks, and to forget what is old. */
import type { Position } from '../../../domain/events/event.ts'
import type { Marking, Relaying } from '../../../ports/outbox.ts'
import { outboxChanges } from './outbox-changes.ts'
import type { OutboxCollections } from './outbox-documents.ts'
import type { OutboxHolds } from './outbox-holds.ts'

export interface RelayingOptions {
  readonly collections: OutboxCollections
  readonly holding: OutboxHolds
  readonly leads: () => boolean
  readonly now: () => number
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>
}

const PURGE = 500
/** Endpoints that one sweep answers. */
const MOST_WAITING = 10_000
/** For one question; after that it is Unavailable. */
const MAX_MS = 5_000

export function outboxRelaying({ collections, holding, leads, now, guarded }: RelayingOptions): Relaying {
  const { endpoints, deliveries, replays } = collections
  const changing = outboxChanges(collections)
  return {
    leads,
    waiting: (overdueMs) =>
      guarded(async () => {
        const found = await endpoints
          .find({ active: true, due: { $lte: now() - overdueMs } })
          .sort({ due: 1 })
          .limit(MOST_WAITING)
          .maxTimeMS(MAX_MS)
          .toArray()
        const held = await holding.held(found.map(({ _id }) => _id))
        return found.filter(({ _id }) => !held.has(_id)).map(({ _id: key, company }) => ({ key, company }))
      }),
    replays: () =>
      guarded(async () => {
        if (!leads()) return []
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
          .maxTimeMS(MAX_MS)
          .toArray()
        await removeDeliveries(collections, old)
        return old.length
      }),
  }
}

/** With the messages that are of no other delivery. */
export async function removeDeliveries(
  { deliveries, messages }: Pick<OutboxCollections, 'deliveries' | 'messages'>,
  removed: readonly { readonly _id: string; readonly message: string }[],
): Promise<void> {
  if (removed.length === 0) return
  await deliveries.deleteMany({ _id: { $in: removed.map(({ _id }) => _id) } })
  const of = [...new Set(removed.map(({ message }) => message))]
  const kept = new Set(await deliveries.distinct('message', { message: { $in: of } }))
  await messages.deleteMany({ _id: { $in: of.filter((message) => !kept.has(message)) } })
}

/** @param positionNow up to where the outbox is filled in */
export function outboxMarking(
  { endpoints, deliveries }: OutboxCollections,
  positionNow: () => Promise<Position>,
): Marking {
  return {
    async deliveredUpTo(key) {
      // Before what is pending: what is filled in meanwhile lies after it.
      const position = await positionNow()
      const known = (await endpoints.findOne({ _id: key }))?.endpoint
      if (!known) return undefined
      const pending = { endpoint: key, state: 'pending', position: { $gt: 0 } } as const
      const [first] = await deliveries
        .find(pending)
        .sort({ position: 1 })
        .limit(1)
        .maxTimeMS(MAX_MS)
        .toArray()
      const upTo = Math.min(position, known.heldFrom ?? Infinity, first ? first.position - 1 : Infinity)
      return { company: known.company, upTo }
    },
  }
}
