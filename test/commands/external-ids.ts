/** Tenants with a unique ExternalId, as tests of unique values use them. */
import { create, type Doing } from '../support/given.ts'
import { type MemoryLog } from '../support/memory-event-store.ts'
import { COMPANY, definition, recordsIn, type WriteSide } from '../support/write-side.ts'

export const tenant = definition('tenant')
export const TAKEN = 'ExternalId: another tenant has this value'
export const named = (Name: string, ExternalId: string | null = 'E-1') =>
  create('tenant', { Name, ExternalId })
export const ownerOf = (side: WriteSide, value: string, company = COMPANY) =>
  side.claims.ownerOf(company, tenant, {
    field: tenant.fields.find(({ name }) => name === 'ExternalId')!,
    value,
  })
/** The live tenants that have the value. */
export const bearers = (log: MemoryLog, value = 'E-1') =>
  [...recordsIn(log)].flatMap(([stream, { state }]) =>
    state.status === 'live' && state.fields['ExternalId'] === value ? [stream] : [],
  )
export const race = (side: WriteSide, ...doings: readonly Doing[]) =>
  Promise.allSettled(doings.map((doing) => doing(side.write)))
