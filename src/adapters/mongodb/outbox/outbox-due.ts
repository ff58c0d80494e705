/** Which deliveries to an endpoint are due, on MongoDB: picked here from what is pending, in the order of the events. */
import type { Due, DueDeliveries } from '../../../ports/outbox.ts'
import type { DeliveryDocument, OutboxCollections } from './outbox-documents.ts'

/** Pending deliveries looked at for one answer. */
const MOST_LOOKED_AT = 100
const MOST_LOOKED_AT_IN_ORDER = 5_000

export async function dueOf(
  { endpoints, deliveries, messages }: OutboxCollections,
  key: string,
  wanted: {
    readonly limit: number
    readonly underWay: ReadonlySet<string>
    readonly records: ReadonlySet<string>
  },
  now: number,
): Promise<DueDeliveries | undefined> {
  const known = await endpoints.findOne({ _id: key })
  if (!known?.active || !known.endpoint) return undefined
  const pending = { endpoint: key, state: 'pending' } as const
  const of = { projection: { log: 0 } }
  let candidates: DeliveryDocument[]
  let isCut: boolean
  if (known.endpoint.ordered) {
    const all = deliveries.find(pending, of).sort({ storedAt: 1, position: 1 }).limit(MOST_LOOKED_AT_IN_ORDER)
    const seen = new Set<string>()
    const firsts: DeliveryDocument[] = []
    for await (const one of all) {
      if (!seen.has(one.record)) firsts.push(one)
      seen.add(one.record)
    }
    isCut = false
    candidates = firsts.sort(inTurn)
  } else {
    candidates = await deliveries
      .find(pending, of)
      .sort({ due: 1, storedAt: 1, position: 1 })
      .limit(MOST_LOOKED_AT)
      .toArray()
    isCut = candidates.length === MOST_LOOKED_AT
  }

  const taken = new Set(wanted.records)
  const picked: DeliveryDocument[] = []
  let nextInMs: number | undefined = isCut ? 0 : undefined
  for (const one of candidates) {
    if (wanted.underWay.has(one._id)) continue
    if (one.due > now) {
      nextInMs = one.due - now
      break
    }
    if (taken.has(one.record)) continue
    if (picked.length === wanted.limit) {
      nextInMs = 0
      break
    }
    taken.add(one.record)
    picked.push(one)
  }
  const bodies = await messages.find({ _id: { $in: picked.map(({ message }) => message) } }).toArray()
  const byId = new Map(bodies.map((message) => [message._id, message]))
  const due = picked.flatMap(({ _id, message, attempts }): Due[] => {
    const found = byId.get(message)
    if (!found) return []
    const { _id: id, company, event, record, position, body } = found
    return [{ id: _id, attempts, message: { id, company, event, record, position, body } }]
  })
  return { due, ...(nextInMs !== undefined && { nextInMs }) }
}

function inTurn(one: DeliveryDocument, other: DeliveryDocument): number {
  return one.due - other.due || one.storedAt - other.storedAt || one.position - other.position
}
