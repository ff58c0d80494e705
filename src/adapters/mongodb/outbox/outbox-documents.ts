/** The documents of the outbox on MongoDB, and the indexes by which they are found. */
import type { Collection, Db } from 'mongodb'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { ParkedError } from '../../../ports/read-models.ts'
import type { Attempt, DeliveryState, Replay } from '../../../ports/delivery-log.ts'
import type { Endpoint } from '../../../ports/outbox.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { LeaseDocument } from '../bookkeeping.ts'
import { ensureIndexes, indexOn } from '../read-models/indexes.ts'

/** `_id` of its lease and of its standing. */
export const OUTBOX = 'outbox'

/** One for the whole outbox. */
export interface StandingDocument {
  readonly _id: string
  /** Of the lease in which it was last written. */
  readonly term: number
  readonly position: Position
  /** ms: the last moment at which something was filled in, so that no later process goes back behind it. */
  readonly now?: number
  /** The last event that it was filled from, or an earlier one. */
  readonly last?: LastEvent
  /** Of events up to here nothing is sent. */
  readonly skipped?: Position
  /** Why the projection is parked; absent: it is not. */
  readonly error?: ParkedError
  /** A process without the role `webhooks` has been asked to let it go on. */
  readonly resume?: true
}

export interface EndpointDocument {
  readonly _id: string
  readonly company: Company
  readonly active: boolean
  /** Of the event that it was last changed by; an endpoint that is gone is kept, so that nothing brings it back. */
  readonly position: Position
  /** null: it is gone. */
  readonly endpoint: Endpoint | null
  /** ms; null or absent: its last attempt succeeded, or there was none. */
  readonly failingSince?: number | null
  /** ms: nothing is due before; absent: nothing is pending. Never later than the truth. */
  readonly due?: number
  /** Grows whenever something comes to be pending. */
  readonly filled?: number
}

export interface MessageDocument {
  readonly _id: string
  readonly company: Company
  readonly event: string
  readonly record: string
  readonly position: Position
  readonly body: string
}

export interface DeliveryDocument {
  readonly _id: string
  readonly endpoint: string
  readonly company: Company
  readonly message: string
  readonly record: string
  readonly event: string
  readonly position: Position
  readonly state: DeliveryState
  /** ms by the wall clock, as are the next two. */
  readonly due: number
  readonly storedAt: number
  readonly ended: number | null
  readonly createdAt: string
  readonly attempts: number
  readonly log: readonly Attempt[]
}

export interface ReplayDocument {
  readonly _id: string
  readonly replay: Replay
  readonly position: Position
  readonly done: boolean
}

/** Who sends to an endpoint now. */
export interface HoldDocument {
  readonly _id: string
  readonly holder: string
  readonly until: number
}

export interface OutboxCollections {
  readonly leases: Collection<LeaseDocument>
  readonly standing: Collection<StandingDocument>
  readonly endpoints: Collection<EndpointDocument>
  readonly messages: Collection<MessageDocument>
  readonly deliveries: Collection<DeliveryDocument>
  readonly replays: Collection<ReplayDocument>
  readonly holds: Collection<HoldDocument>
}

export function outboxCollections(database: Db): OutboxCollections {
  return {
    leases: database.collection('webhook_leases'),
    standing: database.collection('webhook_standing'),
    endpoints: database.collection('webhook_endpoints'),
    messages: database.collection('webhook_messages'),
    deliveries: database.collection('webhook_deliveries'),
    replays: database.collection('webhook_replays'),
    holds: database.collection('webhook_holds'),
  }
}

export async function ensureOutboxIndexes({
  endpoints,
  deliveries,
  replays,
}: OutboxCollections): Promise<void> {
  await ensureIndexes(endpoints, [indexOn('next', { active: 1, due: 1 })])
  await ensureIndexes(deliveries, [
    indexOn('due', { endpoint: 1, state: 1, due: 1, storedAt: 1, position: 1 }),
    indexOn('order', { endpoint: 1, state: 1, storedAt: 1, position: 1 }),
    indexOn('log', { endpoint: 1, storedAt: -1, position: -1 }),
    indexOn('record', { endpoint: 1, record: 1, storedAt: -1, position: -1 }),
    indexOn('message', { message: 1 }),
    indexOn('ended', { ended: 1 }),
  ])
  await ensureIndexes(replays, [indexOn('done', { done: 1 })])
}
