/** Storing what came of attempts, on MongoDB: a few calls for a whole group. */
import type { Outcome } from '../../../ports/outbox.ts'
import type { OutboxCollections } from './outbox-documents.ts'

/** Answers for each endpoint among the outcomes for how long it has only failed, in ms. */
export async function settleOutcomes(
  { deliveries, endpoints }: Pick<OutboxCollections, 'deliveries' | 'endpoints'>,
  outcomes: readonly Outcome[],
  moment: number,
): Promise<ReadonlyMap<string, number>> {
  if (outcomes.length === 0) return new Map()
  await deliveries.bulkWrite(
    outcomes.map(({ id, attempt, succeeded, againInMs, isHeld }) => {
      const again = againInMs !== undefined
      const filter = { _id: id, state: 'pending' } as const
      if (isHeld) return { updateOne: { filter, update: { $set: { due: moment + (againInMs ?? 0) } } } }
      const state = succeeded ? 'delivered' : again ? 'pending' : 'failed'
      return {
        updateOne: {
          filter,
          update: {
            $set: { state, due: moment + (againInMs ?? 0), ended: again ? null : moment },
            $inc: { attempts: 1 },
            $push: { log: attempt },
          },
        },
      }
    }),
  )

  const again = outcomes.filter(({ againInMs }) => againInMs !== undefined)
  if (again.length > 0)
    await endpoints.bulkWrite(
      again.map(({ endpoint, againInMs = 0 }) => ({
        updateOne: {
          filter: { _id: endpoint },
          update: { $min: { due: moment + againInMs }, $inc: { filled: 1 } },
        },
      })),
    )

  const tried = outcomes.filter(({ isHeld }) => !isHeld)
  const succeeded = new Set(tried.filter((one) => one.succeeded).map(({ endpoint }) => endpoint))
  const last = new Map(tried.map((one) => [one.endpoint, one.succeeded]))
  const failing = [...last].filter(([, isSuccess]) => !isSuccess).map(([endpoint]) => endpoint)
  if (succeeded.size > 0)
    await endpoints.updateMany(
      { _id: { $in: [...succeeded] }, failingSince: { $ne: null } },
      { $set: { failingSince: null } },
    )
  const failingMs = new Map([...last.keys()].map((endpoint) => [endpoint, 0]))
  if (failing.length === 0) return failingMs
  await endpoints.updateMany(
    { _id: { $in: failing }, failingSince: null },
    { $set: { failingSince: moment } },
  )
  const since = endpoints.find({ _id: { $in: failing } }, { projection: { failingSince: 1 } })
  for await (const { _id, failingSince } of since)
    failingMs.set(_id, typeof failingSince === 'number' ? moment - failingSince : 0)
  return failingMs
}
