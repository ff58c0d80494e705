/** Documents of the size and shape that Daybook serves, for the bound that stores nothing else. */
import type { Body, Company, Keys } from '../../scripts/demo/company.ts'

const SUFFIX = '01m7ynqa7cf04ae2e68dcezgws'

/** Keys as long as real ones. */
export function keysOfBound({ buildings, units, tenants }: Company): Keys {
  const keys = (object: string, length: number) =>
    Array.from({ length }, (_, i) => `${object}-${String(i).padStart(6, '0')}${SUFFIX.slice(6)}`)
  return {
    building: keys('building', buildings),
    unit: keys('unit', units),
    tenant: keys('tenant', tenants),
  }
}

export function contractDocument(key: string, body: Body): Body {
  const at = '2026-01-01T00:00:00Z'
  return {
    Id: key,
    ContractNumber: 'CON-2026-000001',
    ...body,
    Tenant: { Id: body['Tenant'], Name: 'Anne-Sophie van der Meer' },
    Building: { Id: body['Building'], Name: 'Entrepotdok Noord' },
    Unit: { Id: body['Unit'], Number: '3B' },
    EndDate: '2026-12-31',
    CreatedAt: at,
    ModifiedAt: at,
  }
}
