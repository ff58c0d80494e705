/** Brings the company's records into the service, by batch. */
import { inParallel, type ApiClient } from './api-client.ts'
import {
  buildingBody,
  contractBody,
  tenantBody,
  unitBody,
  type Body,
  type Company,
  type Keys,
} from './company.ts'
import type { Progress } from './progress.ts'

export interface AllKeys extends Keys {
  readonly contract: readonly string[]
}

export interface Creating {
  readonly api: ApiClient
  readonly company: Company
  readonly progress: Progress
}

const TITLES: Readonly<Record<string, string>> = {
  building: 'buildings',
  unit: 'units',
  tenant: 'tenants',
  contract: 'contracts',
}
const ROWS = 500
const BATCHES = 2

export async function createCompany(creating: Creating): Promise<AllKeys> {
  const { company } = creating
  const reason = 'Taken over from the old system'
  const all = (object: string, length: number, bodyOf: (i: number) => Body) =>
    createRecords(creating, { object, bodies: Array.from({ length }, (_, i) => bodyOf(i)), reason })
  const building = await all('building', company.buildings, (i) => buildingBody(company, i))
  const unit = await all('unit', company.units, (i) => unitBody(company, i, { building }))
  const tenant = await all('tenant', company.tenants, (i) => tenantBody(company, i))
  const keys = { building, unit, tenant }
  const contract = await all('contract', company.contracts, (i) => contractBody(company, i, keys))
  return { ...keys, contract }
}

/**
 * Returns the Keys in the order of the bodies.
 * @throws Error with the service's words when it refused a row
 */
export async function createRecords(
  { api, progress }: Creating,
  { object, bodies, reason }: { object: string; bodies: readonly Body[]; reason: string },
): Promise<string[]> {
  const keys: string[] = []
  const firsts = Array.from({ length: Math.ceil(bodies.length / ROWS) }, (_, i) => i * ROWS)
  progress.begin(TITLES[object] ?? object, bodies.length)
  await inParallel(firsts, BATCHES, async (first) => {
    const Records = bodies.slice(first, first + ROWS)
    const { data } = await api.call<{ Id?: string; Error?: unknown }[]>('POST', `${object}/batch`, {
      body: { Records, AllowPastDates: true },
      reason,
    })
    data.forEach(({ Id, Error: refused }, row) => {
      if (Id === undefined) throw new Error(`${object} ${first + row}: ${JSON.stringify(refused)}`)
      keys[first + row] = Id
    })
    progress.advance(Records.length)
  })
  return keys
}
