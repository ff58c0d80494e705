/**
 * Who sends to an endpoint, of several processes: the one that holds it.
 *
 * A hold is kept up while its process lives and ends by itself some time after, by the machines' clocks. Where those
 * disagree by more than that two processes may send to one endpoint: a delivery may then come twice, none is lost.
 */
import { isDuplicate } from '../domain-errors.ts'
import type { OutboxCollections } from './outbox-documents.ts'

export interface OutboxHolds {
  hold(endpoint: string): Promise<boolean>
  release(endpoint: string): Promise<void>
  /** Which of these are held by any process. */
  held(endpoints: readonly string[]): Promise<ReadonlySet<string>>
  /** To be called every `RENEW_HOLDS_MS`. */
  renew(): Promise<void>
}

/** Longer than an attempt may take. */
const HOLD_MS = 20_000
export const RENEW_HOLDS_MS = 5_000

export function outboxHolds(
  { holds }: Pick<OutboxCollections, 'holds'>,
  { holder, now }: { readonly holder: string; readonly now: () => number },
): OutboxHolds {
  const mine = new Set<string>()

  const take = async (endpoint: string): Promise<boolean> => {
    const hold = { holder, until: now() + HOLD_MS }
    const { matchedCount } = await holds.updateOne(
      { _id: endpoint, $or: [{ until: { $lt: now() } }, { holder }] },
      { $set: hold },
    )
    if (matchedCount === 1) return true
    try {
      await holds.insertOne({ _id: endpoint, ...hold })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  return {
    async hold(endpoint) {
      const isMine = await take(endpoint)
      if (isMine) mine.add(endpoint)
      return isMine
    },
    async release(endpoint) {
      mine.delete(endpoint)
      await holds.deleteOne({ _id: endpoint, holder })
    },
    async held(endpoints) {
      const held = await holds.find({ _id: { $in: [...endpoints] }, until: { $gte: now() } }).toArray()
      return new Set(held.map(({ _id }) => _id))
    },
    async renew() {
      if (mine.size === 0) return
      await holds.updateMany({ _id: { $in: [...mine] }, holder }, { $set: { until: now() + HOLD_MS } })
    },
  }
}
