/**
 * Which log the outbox on MongoDB has followed, kept beside its position, and how it begins again when the log is another
 * one. Only the process that fills the outbox begins it again; what a crash leaves of that is done once more, because the
 * last event goes last.
 */
import type { OutboxCheckpoint } from '../../../ports/outbox.ts'
import { connect } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { OUTBOX, outboxCollections, type OutboxCollections } from './outbox-documents.ts'
import { removeDeliveries } from './outbox-relaying.ts'

const PIECE = 500

export function mongoOutboxCheckpoint({ url }: { readonly url: string }): OutboxCheckpoint {
  const connection = connect({ url, definitions: new Map() })
  const collections = outboxCollections(connection.database)
  const { standing, endpoints, replays } = collections
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      throw asWriteError(error)
    }
  }
  const found = () => standing.findOne({ _id: OUTBOX })
  return {
    last: () => guarded(async () => (await found())?.last),
    skipped: () => guarded(async () => (await found())?.skipped ?? 0),
    keep: (last) =>
      guarded(async () => {
        // Not after it was begun again meanwhile: then it has not come so far.
        await standing.updateOne({ _id: OUTBOX, position: { $gte: last.position } }, { $set: { last } })
      }),
    beginAgain: (skip) =>
      guarded(async () => {
        await dropPending(collections)
        await endpoints.deleteMany({})
        await replays.updateMany({ done: false }, { $set: { done: true } })
        await standing.updateOne(
          { _id: OUTBOX },
          { $set: { position: 0, skipped: skip }, $unset: { last: '', error: '' } },
        )
      }),
    close: () => connection.close(),
  }
}

async function dropPending(collections: OutboxCollections): Promise<void> {
  for (;;) {
    const pending = await collections.deliveries
      .find({ state: 'pending' }, { projection: { message: 1 } })
      .limit(PIECE)
      .toArray()
    if (pending.length === 0) return
    await removeDeliveries(collections, pending)
  }
}
