/**
 * Mails of the demo: a template for each trigger that is shipped, and something that leads to two of them at once. In the
 * demo's own instance alone: another may have a mail server.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from './api-client.ts'

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

/** Makes them, unless they are there. Answers in words where the mails are; undefined: there are none yet. */
export async function showMails(api: ApiClient, dataDir: string): Promise<string | undefined> {
  const folder = join(dataDir, 'mail')
  const there = await api.call<unknown[]>('GET', 'notifications/templates')
  if (there.total === 0) {
    for (const template of TEMPLATES)
      await api.call('POST', 'notifications/templates', { body: { template } })
    await leadToMails(api)
    for (const end = Date.now() + WAIT_MS; mailsIn(folder) < 2 && Date.now() < end;) await delay(100)
  }
  const count = mailsIn(folder)
  if (count === 0) return undefined
  return (
    `${count} mails were written, as files that mail programs open: ${folder}. ` +
    'Reminders of contracts that end in 90 or 30 days follow at 08:00.'
  )
}

async function leadToMails(api: ApiClient): Promise<void> {
  const approver = { Email: 'approver@example.com', Name: 'Ann Approver', Roles: ['approver'] }
  await api.call('POST', 'identity/users', {
    body: { ...approver, Password: crypto.randomUUID() },
    accept: [409],
  })
  const withAddress = encodeURIComponent('Email ne null')
  const { data: tenants } = await api.call<{ Id: string }[]>('GET', `tenant?pageSize=1&filter=${withAddress}`)
  const Subject = 'The tap in the kitchen drips'
  await api.call('POST', 'servicerequest', { body: { Subject, Tenant: tenants[0]!.Id } })
  const draft = encodeURIComponent("Status eq 'Draft'")
  const drafts = await api.call<{ Id: string }[]>('GET', `contract?pageSize=1&filter=${draft}`)
  const [contract] = drafts.data
  if (!contract) return
  await api.call('POST', `contract/${contract.Id}/workflow/submit`)
  // A draft stays to be shown, too.
  if (drafts.total === 1) await api.call('POST', `contract/${contract.Id}/workflow/recall`)
}

function mailsIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')).length : 0
}
