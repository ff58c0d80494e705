/**
 * Takes the keys of companies to another place: a service that is given MONGODB_URL keeps them there, and would start with new
 * ones. The service must not run.
 */
import { openWith } from '../../src/identity/secrets/check-keys.ts'
import { SYSTEM } from '../../src/domain/events/event.ts'
import type { KeyPlace } from '../../src/identity/secrets/keys.ts'
import type { OfflineEvents } from './offline-events.ts'

export interface MoveKeys {
  readonly events: OfflineEvents
  readonly from: KeyPlace
  readonly to: KeyPlace
}

/**
 * How many keys were moved; undefined when they are there already. Cut off, it can be run again: only at the end do the
 * events say that the new place counts.
 * @throws Error when the keys at `from` are not those of the events, or when `to` has others
 */
export async function moveKeys({ events, from, to }: MoveKeys): Promise<number | undefined> {
  const [last, source, target] = await Promise.all([
    events.last(SYSTEM, 'keys'),
    from.store.id(),
    to.store.id(),
  ])
  const counts = last?.type === 'keys.opened' ? last.data['Id'] : undefined
  if (counts === target) return undefined
  if (counts !== source)
    throw new Error(`The keys in ${from.place} are not those that this store was written with.`)
  const keys = await from.store.list()
  for (const { company, purpose, sealed } of keys)
    if ((await to.store.add(company, purpose, sealed)) !== sealed)
      throw new Error(`${to.place} has another key of ${company} already: it belongs to another store.`)
  await openWith({ events, store: to.store, now: () => Date.now() })
  return keys.length
}
