/** Which deliveries to an endpoint are due, on MongoDB: picked here from what is pending, in the order of the events. */
import type { Due, DueDeliveries, Sending } from '../../../ports/outbox.ts'
import type { DeliveryDocument, EndpointDocument, OutboxCollections } from './outbox-documents.ts'

type Wanted = Parameters<Sending['due']>[1]

/** Pending deliveries looked at before those of records that were come across already are left out. */
const PIECE = 1_000
/** Of one answer. What waits behind more comes when some of these have ended. */
const MOST_PIECES = 5
const BATCH = 100
/** For one look; after that it is Unavailable, and tried again. */
const MAX_MS = 5_000

export async function dueOf(
  collections: OutboxCollections,
  key: string,
  wanted: Wanted,
  now: number,
): Promise<DueDeliveries | undefined> {
  const known = await collections.endpoints.findOne({ _id: key })
  if (!known?.active || !known.endpoint) return undefined
  const picked: DeliveryDocument[] = []
  const taken = new Set(wanted.records)
  const candidates = known.endpoint.ordered
    ? inOrder(collections, key)
    : pendingOf(collections, key, { due: 1, storedAt: 1, position: 1 }, taken)
  let nextAt: number | undefined
  for await (const one of candidates) {
    if (wanted.underWay.has(one._id)) continue
    const isFree = !taken.has(one.record)
    if (one.due > now || (isFree && picked.length === wanted.limit)) {
      nextAt = Math.max(one.due, now)
      break
    }
    // Its turn comes when what is under way for the same record has ended; nobody has to wait for the clock.
    if (!isFree) continue
    taken.add(one.record)
    picked.push(one)
  }
  const due = await withMessages(collections, picked, now)
  if (due.length < picked.length) nextAt = now
  if (picked.length === 0 && wanted.underWay.size === 0) await remember(collections, known, nextAt)
  return { due, ...(nextAt !== undefined && { nextInMs: nextAt - now }) }
}

const LOOK = { projection: { log: 0 }, maxTimeMS: MAX_MS, batchSize: BATCH }

/** What is pending, without records that are `left` out by then: one of them with very much does not hide the others. */
async function* pendingOf(
  { deliveries }: OutboxCollections,
  key: string,
  sort: Record<string, 1>,
  left: ReadonlySet<string>,
): AsyncGenerator<DeliveryDocument> {
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    let found = 0
    const others = left.size > 0 ? { record: { $nin: [...left] } } : {}
    const asked = { endpoint: key, state: 'pending', ...others } as const
    for await (const one of deliveries.find(asked, LOOK).sort(sort).limit(PIECE)) {
      found++
      yield one
    }
    if (found < PIECE) return
  }
}

/** The first of each record only. */
async function* inOrder(collections: OutboxCollections, key: string): AsyncGenerator<DeliveryDocument> {
  const seen = new Set<string>()
  const firsts: DeliveryDocument[] = []
  for await (const one of pendingOf(collections, key, { storedAt: 1, position: 1 }, seen)) {
    if (!seen.has(one.record)) firsts.push(one)
    seen.add(one.record)
  }
  yield* firsts.sort(
    (one, other) => one.due - other.due || one.storedAt - other.storedAt || one.position - other.position,
  )
}

/** Those whose message is gone can never be made: they are cancelled. */
async function withMessages(
  { deliveries, messages }: OutboxCollections,
  picked: readonly DeliveryDocument[],
  now: number,
): Promise<readonly Due[]> {
  if (picked.length === 0) return []
  const bodies = await messages.find({ _id: { $in: picked.map(({ message }) => message) } }).toArray()
  const byId = new Map(bodies.map((message) => [message._id, message]))
  const gone = picked.filter(({ message }) => !byId.has(message)).map(({ _id }) => _id)
  if (gone.length > 0)
    await deliveries.updateMany(
      { _id: { $in: gone }, state: 'pending' },
      { $set: { state: 'cancelled', ended: now } },
    )
  return picked.flatMap(({ _id, message, attempts }): Due[] => {
    const found = byId.get(message)
    if (!found) return []
    const { _id: id, company, event, record, position, body } = found
    return [{ id: _id, attempts, message: { id, company, event, record, position, body } }]
  })
}

/** Unless something has come to be pending since it was looked. */
async function remember(
  { endpoints }: OutboxCollections,
  { _id, filled }: EndpointDocument,
  nextAt: number | undefined,
): Promise<void> {
  await endpoints.updateOne(
    { _id, filled: filled ?? (null as never) },
    nextAt === undefined ? { $unset: { due: '' } } : { $set: { due: nextAt } },
  )
}
