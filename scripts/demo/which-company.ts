/**
 * Which demo company to make, or that there is one already.
 *
 * The first thing that the demo creates is the company's first building, the last is a document about the company. So
 * with the document a company is complete; with the building alone an earlier run was broken off, and is to be finished.
 */
import type { ApiClient } from './api-client.ts'
import { buildingBody, companyOfSize, type Company } from './company.ts'

export interface Found {
  readonly company: Company
  readonly state: 'missing' | 'begun' | 'complete'
}

export interface Wanted {
  /** 1: 10,000 contracts. */
  readonly scale: number
  /** Not the first company but the first that is not complete. */
  readonly again: boolean
  readonly now: Date
}

export async function whichCompany(api: ApiClient, { scale, again, now }: Wanted): Promise<Found> {
  for (let number = 1; ; number++) {
    const company = companyOfSize(scale, { number, today: monthOf(now.toISOString()) })
    if (await matching(api, 'document', `ExternalId eq '${aboutId(company)}'`)) {
      if (again) continue
      return { company, state: 'complete' }
    }
    const code = buildingBody(company, 0)['Code'] as string
    const building = await matching(api, 'building', `Code eq '${code}'`)
    if (!building) return { company, state: 'missing' }
    // Its present is the month in which it was begun, so that what is sent again is the same again.
    return { company: { ...company, today: monthOf(building.CreatedAt) }, state: 'begun' }
  }
}

/** Says in the service itself what the company is, and that it is complete. */
export async function describeCompany(api: ApiClient, company: Company): Promise<void> {
  const { number, buildings, units, tenants, contracts, today } = company
  const body = {
    Title: `About demo company ${number}`,
    DocumentDate: today,
    ExternalId: aboutId(company),
    Status: 'Final',
    Description: `Made up: ${buildings} buildings, ${units} units, ${tenants} tenants, ${contracts} contracts and a year of changes.`,
  }
  await api.call('POST', 'document', { body, reason: 'The demo is complete' })
}

function aboutId({ number }: Pick<Company, 'number'>): string {
  return `demo-company-${number}`
}

function monthOf(timestamp: string): string {
  return `${timestamp.slice(0, 7)}-01`
}

async function matching(api: ApiClient, object: string, filter: string) {
  const path = `${object}?pageSize=1&filter=${encodeURIComponent(filter)}`
  return (await api.call<{ CreatedAt: string }[]>('GET', path)).data[0]
}
