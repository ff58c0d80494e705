/** A lease and those it is about, as tests of the whole service create them. */
import type { Fields } from '../../../src/domain/json.ts'
import type { Client } from '../../support/service.ts'

/** Later than any day on which these tests run: contracts begin in the future. */
export const START_DATE = '2999-01-01'

export const KEY = (object: string): RegExp => new RegExp(`^${object}-[0-9a-hjkmnp-tv-z]{26}$`)

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** What a contract needs at least, and more, if given. */
export function contractBody(more: Fields = {}): Fields {
  return { MonthlyRent: { Amount: 1250.5, Currency: 'EUR' }, StartDate: START_DATE, ...more }
}

export interface Lease {
  readonly tenant: string
  readonly building: string
  readonly unit: string
  /** As a body names them. */
  readonly lookups: { readonly Tenant: string; readonly Building: string; readonly Unit: string }
}

/** Creates a tenant, a building and a unit in it. */
export async function createLease(client: Client, names: Partial<Lease> = {}): Promise<Lease> {
  const { Id: tenant } = await client.create('tenant', {
    Name: names.tenant ?? 'Ada Lovelace',
    Email: 'ada@example.com',
    Phone: '+31 20 123 4567',
  })
  const { Id: building } = await client.create('building', { Name: names.building ?? 'Harbour House' })
  const { Id: unit } = await client.create('unit', { Number: names.unit ?? '4B', Building: building })
  return { tenant, building, unit, lookups: { Tenant: tenant, Building: building, Unit: unit } }
}
