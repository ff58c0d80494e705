/** Fields that became unique: who has a value that is not claimed yet, and claiming them while the service runs. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../ports/log.ts'
import type { Claim } from '../support/unique-claims.ts'
import { claimValues, type ClaimValues } from './claim-values.ts'
import type { UnclaimedFields } from './unclaimed-fields.ts'
import { listedUnder, type ObjectDefinition } from '../../domain/definition.ts'
import { Unavailable } from '../../domain/errors.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import { kindOf } from '../../domain/filter/path.ts'
import type { Value } from '../../domain/filter/ast.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'

/** So many records of one value are looked at. */
const MOST_BEARERS = 20
const AGAIN_MS = 5_000
/** So many records are named in the log. */
const NAMED = 100

/** Keys of records that have the value in the read models, oldest first. */
export const bearersIn =
  (readModels: Pick<ReadModels, 'list'>) =>
  async (company: Company, definition: ObjectDefinition, { field, value }: Claim): Promise<string[]> => {
    const path = { text: field.name, hops: [], on: definition, field, kind: kindOf(field) }
    const filter = { op: 'compare', path, by: 'eq', value: value as Value, negated: false } as const
    const query = { object: definition.object, filter, sort: [], offset: 0, limit: MOST_BEARERS, expand: [] }
    const { records } = await readModels.list(listedUnder(definition, company), query)
    return records.map(({ key }) => key).reverse()
  }

/** Before anything is written: in a new store nothing is unclaimed. @throws Unavailable; it may be repeated */
export async function beginUnique(
  events: Pick<EventStore, 'last'>,
  unclaimed: UnclaimedFields,
): Promise<void> {
  if (await events.last(SYSTEM, 'bootstrap')) await unclaimed.look()
  else await unclaimed.settle()
}

export interface UniqueValues {
  stop(): Promise<void>
}

/** Begins to claim them, where there are any; tried again until it is done. */
export function claimUniqueValues(
  options: Omit<ClaimValues, 'stopping' | 'unclaimed'> & {
    readonly unclaimed: UnclaimedFields
    readonly log: Log
  },
): UniqueValues {
  const { unclaimed, log } = options
  const stopping = new AbortController()
  const work = async () => {
    while (!stopping.signal.aborted)
      try {
        if (!unclaimed.isEmpty()) {
          const { duplicates, unreadable } = await claimValues({ ...options, stopping: stopping.signal })
          const count = duplicates.length
          if (count > 0)
            log.warn(
              { count, records: duplicates.slice(0, NAMED) },
              'records share a value of a unique field',
            )
          if (unreadable.length > 0)
            log.error(
              { records: unreadable.slice(0, NAMED) },
              'the unique values of records cannot be claimed',
            )
        }
        return await unclaimed.settle()
      } catch (error) {
        if (stopping.signal.aborted) return
        if (!(error instanceof Unavailable)) log.error({ err: error }, 'unique values cannot be claimed')
        await delay(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
  }
  const working = work()
  return {
    async stop() {
      stopping.abort()
      await working
    },
  }
}
