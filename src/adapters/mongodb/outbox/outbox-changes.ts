/**
 * What is filled into the outbox on MongoDB, in an order that a crash between any two writes leaves whole.
 *
 * There are no transactions: a message is there before its deliveries, deliveries before the endpoint changes that come
 * after them, and all of it before the position moves. Ids are derived and endpoints never go back, so what is done twice
 * is done once.
 */
import type { OptionalUnlessRequiredId } from 'mongodb'
import type { Message, NewDelivery, Replay } from '../../../ports/delivery-log.ts'
import type { OutboxChange } from '../../../ports/outbox.ts'
import { NotFound } from '../../../domain/errors.ts'
import { isDuplicate } from '../domain-errors.ts'
import type { DeliveryDocument, MessageDocument, OutboxCollections } from './outbox-documents.ts'

export interface OutboxChanges {
  make(changes: readonly OutboxChange[], moment: number): Promise<void>
  add(message: Message | undefined, delivery: NewDelivery, moment: number): Promise<void>
  addReplay(replay: Replay): Promise<void>
}

type Change<Op extends OutboxChange['op']> = Extract<OutboxChange, { op: Op }>

export function outboxChanges({
  endpoints,
  messages,
  deliveries,
  replays,
}: OutboxCollections): OutboxChanges {
  const putEndpoint = async ({ endpoint }: Change<'endpoint'>) => {
    const { key: _id, company, active, position } = endpoint
    const older = { _id, position: { $lt: position } }
    // Turned on again: its five days start again.
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

  /** After the deliveries: who finds none of them does not find the endpoint changed either. */
  const pendingSince = async (keys: readonly string[], moment: number) => {
    if (keys.length === 0) return
    await endpoints.updateMany({ _id: { $in: keys } }, { $min: { due: moment }, $inc: { filled: 1 } })
  }

  const addReplay = (replay: Replay) =>
    insertNew(replays, [{ _id: replay.id, replay, position: replay.after ?? 0, done: false }])

  return {
    addReplay,
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
        await pendingSince([...new Set(documents.map(({ endpoint }) => endpoint))], moment)
        sends = []
      }
      for (const change of changes) {
        if (change.op === 'send') {
          sends.push(change)
          continue
        }
        await flush()
        if (change.op === 'endpoint') await putEndpoint(change)
        else if (change.op === 'forget') await forget(change, moment)
        else await addReplay(change.replay)
      }
      await flush()
    },
    async add(message, delivery, moment) {
      if (message) await insertNew(messages, [messageDocument(message)])
      const of = await messages.findOne({ _id: delivery.message }, { projection: { body: 0 } })
      if (!of) throw new Error(`The message ${delivery.message} does not exist.`)
      await insertNew(deliveries, [deliveryDocument(delivery, of, moment)])
      // It may have been purged at the same moment.
      if (!(await messages.findOne({ _id: delivery.message }, { projection: { _id: 1 } }))) {
        await deliveries.deleteOne({ _id: delivery.id })
        throw new NotFound(`The message ${delivery.message} no longer exists.`)
      }
      await pendingSince([delivery.endpoint], moment)
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
