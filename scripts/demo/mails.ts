/**
 * Mails of the demo: a template for each trigger that is shipped, and something that leads to two of them at once.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from './api-client.ts'
import { monthsAfter, type Money } from './company.ts'
import { PEOPLE, signedIn } from './people.ts'
import { act, create } from './year/story.ts'

const TEMPLATES = [
  {
    name: 'Renewal reminder',
    trigger: 'contract-renewal-reminder',
    subject: 'Contract {{ContractNumber}} ends on {{EndDate}}',
    body: `<p>Dear {{Tenant.Name}},</p>
      <p>your contract {{ContractNumber}} for unit {{Unit.Number}}, {{Building.Name}}, ends on {{EndDate}}.</p>
      <p>Please tell us whether you wish to stay.</p>`,
  },
  {
    name: 'Request received',
    trigger: 'service-request-created',
    subject: 'We have your request {{RequestNumber}}',
    body: `<p>Dear {{Tenant.Name}},</p><p>thank you for letting us know: {{Subject}}</p>
      <p>We look into it.</p>`,
  },
  {
    name: 'Something to decide',
    trigger: 'workflow-task-create',
    subject: 'Waiting for your approval',
    body: '<p>A record waits for your decision: {{Id}}</p>',
  },
]

const WAIT_MS = 10_000

export interface Showing {
  /** Of an administrator. */
  readonly api: ApiClient
  readonly url: string
  readonly password: string
  readonly dataDir: string
}

/** Makes them, unless they are there. Answers in words where the mails are; undefined: there are none yet. */
export async function showMails(showing: Showing): Promise<string | undefined> {
  const { api, dataDir } = showing
  const folder = join(dataDir, 'mail')
  const there = await api.call<unknown[]>('GET', 'notifications/templates')
  if (there.total === 0) {
    for (const template of TEMPLATES)
      await api.call('POST', 'notifications/templates', { body: { template } })
    await leadToMails(showing)
    for (const end = Date.now() + WAIT_MS; mailsIn(folder) < 2 && Date.now() < end;) await delay(100)
  }
  if (mailsIn(folder) === 0) return undefined
  return (
    `Mails are written as files that mail programs open: ${folder}. ` +
    'Reminders of contracts that end in 90 or 30 days follow at 08:00.'
  )
}

/** A tenant reports something, and a lease is submitted. */
async function leadToMails({ url, password, api }: Showing): Promise<void> {
  const [sven, tomas] = [PEOPLE.sven, PEOPLE.tomas].map(({ email }) => signedIn({ url, email, password }))
  const withAddress = encodeURIComponent('Email ne null')
  const { data: tenants } = await api.call<{ Id: string }[]>('GET', `tenant?pageSize=1&filter=${withAddress}`)
  const Subject = 'The tap in the kitchen drips'
  await create(sven!, 'servicerequest', { Subject, Tenant: tenants[0]!.Id, Channel: 'Phone' })
  const running = encodeURIComponent("Status eq 'Active' and Tenant ne null and Unit ne null")
  const { data: contracts } = await api.call<Lease[]>(
    'GET',
    `contract?pageSize=1&sort=EndDate&filter=${running}`,
  )
  const { Tenant, Building, Unit, MonthlyRent } = contracts[0]!
  const parking = await create(tomas!, 'contract', {
    Tenant: Tenant.Id,
    Building: Building.Id,
    Unit: Unit.Id,
    MonthlyRent: { Amount: 95, Currency: MonthlyRent.Currency },
    StartDate: monthsAfter(new Date().toISOString(), 1),
    Duration: 12,
    Notes: 'A parking space beside the flat',
  })
  await act(tomas!, `contract/${parking}`, 'submit', 'Signed by the tenant')
}

interface Lease {
  readonly Tenant: { readonly Id: string }
  readonly Building: { readonly Id: string }
  readonly Unit: { readonly Id: string }
  readonly MonthlyRent: Money
}

function mailsIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')).length : 0
}
