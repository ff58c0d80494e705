/**
 * What is filled into the outbox on MongoDB, in an order that a crash between any two writes leaves whole.
 *
 * There are no transactions: a message is there before its deliveries, deliveries before the endpoint changes that come
 * after them, and all of it before the position moves. Ids are derived and endpoints never go back, so what is done twice
 * is done once.
 */
import type { OptionalUnlessRequiredId } from 'mongodb'
import type { Message, NewDelivery } from '../../../ports/delivery-log.ts'
import type { OutboxChange } from '../../../ports/outbox.ts'
import { isDuplicate } from '../domain-errors.ts'
import type { DeliveryDocument, MessageDocument, OutboxCollections } from './outbox-documents.ts'

export interface OutboxChanges {
  make(changes: readonly OutboxChange[], moment: number): Promise<void>
  add(message: Message | undefined, delivery: NewDelivery, moment: number): Promise<void>
}

type Change<Op extends OutboxChange['op']> = Extract<OutboxChange, { op: Op }>

export function outboxChanges({ endpoints, messages, deliveries }: OutboxCollections): OutboxChanges {
  const putEndpoint = async ({ endpoint }: Change<'endpoint'>) => {
    const { key: _id, company, active, position } = endpoint
    const older = { _id, position: { $lt: position } }
    // Turned on again: its five days begin anew.
    if (active) await endpoints.updateOne({ ...older, active: false }, { $set: { failingSince: null } })
    await endpoints
      .updateOne(older, { $set: { company, active, position, endpoint } }, { upsert: true })
      .catch(unlessDuplicate)
  }

  const forget = async ({ key, position }: Change<'forget'>, moment: number) => {
    await endpoints.updateOne(
      { _id: key, position: { $lt: position } },
      { $set: { active: false, endpoint: null, position } },
    )
    await deliveries.updateMany(
      { endpoint: key, state: 'pending', position: { $lt: position } },
      { $set: { state: 'cancelled', ended: moment } },
    )
  }

  return {
    async make(changes, moment) {
      let sends: Change<'send'>[] = []
      const flush = async () => {
        await insertNew(
          messages,
          sends.map(({ message }) => messageDocument(message)),
        )
        const documents = sends.flatMap(({ message, deliveries: of }) =>
          of.map((one) => deliveryDocument(one, message, moment)),
        )
        await insertNew(deliveries, documents)
        sends = []
      }
      for (const change of changes) {
        if (change.op === 'send') {
          sends.push(change)
          continue
        }
        await flush()
        await (change.op === 'endpoint' ? putEndpoint(change) : forget(change, moment))
      }
      await flush()
    },
    async add(message, delivery, moment) {
      if (message) await insertNew(messages, [messageDocument(message)])
      const of = await messages.findOne({ _id: delivery.message }, { projection: { body: 0 } })
      if (!of) throw new Error(`there is no message ${delivery.message}`)
      await insertNew(deliveries, [deliveryDocument(delivery, of, moment)])
    },
  }
}

function messageDocument({ id, ...message }: Message): MessageDocument {
  return { _id: id, ...message }
}

function deliveryDocument(
  { id, endpoint, company, message, createdAt }: NewDelivery,
  { record, event, position }: Pick<Message, 'record' | 'event' | 'position'>,
  moment: number,
): DeliveryDocument {
  return {
    _id: id,
    endpoint,
    company,
    message,
    record,
    event,
    position,
    state: 'pending',
    due: moment,
    storedAt: moment,
    ended: null,
    createdAt,
    attempts: 0,
    log: [],
  }
}

/** Inserts what is not there yet. */
export async function insertNew<T extends { readonly _id: string }>(
  into: {
    insertMany(
      documents: readonly OptionalUnlessRequiredId<T>[],
      options: { ordered: false },
    ): Promise<unknown>
  },
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<void> {
  if (documents.length > 0) await into.insertMany(documents, { ordered: false }).catch(unlessDuplicate)
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error
}
