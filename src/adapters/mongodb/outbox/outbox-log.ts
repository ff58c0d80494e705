/** What the outbox on MongoDB says about deliveries: lists, single ones with their attempts, the health of endpoints. */
import type { WithId } from 'mongodb'
import type { DeliveryLog, LoggedDelivery } from '../../../ports/delivery-log.ts'
import type { DeliveryDocument, OutboxCollections } from './outbox-documents.ts'

/** For one question; after that it is Unavailable. */
const MAX_MS = 5_000

export function outboxLog({
  messages,
  deliveries,
  endpoints,
  replays,
}: OutboxCollections): Omit<DeliveryLog, 'reached'> {
  return {
    async replayed(company, endpoint, id) {
      const found = await replays.findOne({ _id: id })
      if (found?.replay.company !== company || found.replay.endpoint !== endpoint) return undefined
      return { ...found.replay, position: found.position, done: found.done }
    },
    async list(company, endpoint, { state, event, record, offset, limit }) {
      const asked = {
        endpoint,
        company,
        ...(state !== undefined && { state }),
        ...(event !== undefined && { event }),
        ...(record !== undefined && { record }),
      }
      const page = deliveries
        .find(asked)
        .sort({ storedAt: -1, position: -1 })
        .skip(offset)
        .limit(limit)
        .maxTimeMS(MAX_MS)
      const [found, total] = await Promise.all([
        page.toArray(),
        deliveries.countDocuments(asked, { maxTimeMS: MAX_MS }),
      ])
      return { deliveries: found.map(loggedOf), total }
    },
    async get(company, endpoint, id) {
      const found = await deliveries.findOne({ _id: id })
      if (found?.company !== company || found.endpoint !== endpoint) return undefined
      const message = await messages.findOne({ _id: found.message })
      return { ...loggedOf(found), body: message?.body ?? '', log: found.log }
    },
    async health(company, keys) {
      const found = await endpoints.find({ _id: { $in: [...keys] }, company }).toArray()
      return Promise.all(
        found.map(async ({ _id, failingSince }) => ({
          endpoint: _id,
          pending: await deliveries.countDocuments(
            { endpoint: _id, state: 'pending' },
            { maxTimeMS: MAX_MS },
          ),
          ...(typeof failingSince === 'number' && { failingSince: new Date(failingSince).toISOString() }),
        })),
      )
    },
  }
}

function loggedOf(delivery: WithId<DeliveryDocument>): LoggedDelivery {
  const { _id, endpoint, message, event, record, state, createdAt, attempts, due } = delivery
  const last = delivery.log.at(-1)
  return {
    id: _id,
    endpoint,
    message,
    event,
    record,
    state,
    createdAt,
    attempts,
    ...(last?.status !== undefined && { lastStatus: last.status }),
    ...(last?.error !== undefined && { lastError: last.error }),
    ...(last && { lastAttemptAt: last.at }),
    ...(state === 'pending' && { nextAttemptAt: new Date(due).toISOString() }),
  }
}
