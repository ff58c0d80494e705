/** What clients of a simulation ask for: much of it about the same few records and unique values. */
import type { Caller } from '../../../src/commands/command.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import { act, create, remove, restore, update, type Doing } from '../../support/given.ts'
import type { Chances } from './chances.ts'

/** Values of unique fields. */
export const VALUES = ['E-1', 'E-2', 'E-3']

/** Who acts: nobody approves what they submitted. */
const ACTORS = ['user-1', 'user-2', 'user-3']

/** What a client sent, and what it was told in the end: nothing, that it is done, or that it is refused. */
export interface Request {
  readonly name: string
  readonly doing: (by: Partial<Caller>) => Doing
  readonly repeatable: boolean
  /** It was under way twice at once, so that one of the two may have found nothing left to do. */
  twice?: true
  answer?: { readonly key: string; readonly version: number; readonly fields: Fields } | 'refused'
}

/** Some request; `known`: Keys of records that have been created. */
export function anyDoing({ pick, chance }: Chances, known: readonly string[]): Request['doing'] {
  const some = (object: string) => known.filter((key) => objectOfKey(key) === object).slice(-4)
  const [tenants, contracts] = [some('tenant'), some('contract')]
  const value = (): Json => (chance(0.3) ? null : pick(VALUES))
  const tenant = (): Json => (tenants.length === 0 || chance(0.2) ? null : pick(tenants))
  const rent = { Amount: 1, Currency: 'EUR' }
  const lease = { MonthlyRent: rent, StartDate: '2030-01-01', Tenant: tenant(), Reference: value() }
  const changed = tenants.concat(contracts)
  const stream = changed.length > 0 ? pick(changed) : undefined
  const expected = chance(0.2) ? [pick([1, 2, 3])] : undefined
  const change: Json =
    stream && objectOfKey(stream) === 'tenant'
      ? pick<Json>([
          { ExternalId: value() },
          { Score: pick([1, 2, 3]), ExternalId: value() },
          { Guarantor: tenant() },
        ])
      : pick<Json>([
          { Tenant: tenant() },
          { Reference: value() },
          { Notes: pick(['a', 'marked']), Tenant: tenant() },
        ])
  const kinds = ['create', 'create', 'change', 'change', 'act', 'act', 'remove', 'restore'] as const
  const what = pick(kinds)
  if (!stream || what === 'create') {
    const [object, body] = chance(0.4)
      ? ['tenant', { Name: 'Ann', ExternalId: value() }]
      : ['contract', lease]
    return (by) => create(object, body, by)
  }
  if (what === 'act' && contracts.length > 0) {
    const [contract, action] = [pick(contracts), pick(['submit', 'submit', 'approve', 'approve', 'recall'])]
    const actor = pick(ACTORS)
    return (by) => act(contract, action, { ...by, actor, expected })
  }
  if (what === 'remove') return (by) => remove(stream, { ...by, expected })
  if (what === 'restore') return (by) => restore(stream, by)
  return (by) => update(stream, change, { ...by, expected })
}
