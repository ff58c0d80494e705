/** Things of a company that a path can name: some that stay as they are, and new ones for those who may change them. */
import { setTimeout as delay } from 'node:timers/promises'
import { createHmac } from 'node:crypto'
import { logIn, makeToken, makeUser, withCookie } from '../api/identity/identity-support.ts'
import { settled } from '../imports/import-support.ts'
import type { Answer } from '../support/service.ts'
import type { Company } from './world.ts'
import { unlike } from '../support/unlike.ts'

/** Keys. */
export interface Things {
  readonly contract: string
  readonly sensor: string
  /** Of that sensor, a row of a pack. */
  readonly reading: string
  readonly user: string
  /** Of that user. */
  readonly session: string
  readonly token: string
  readonly role: string
  readonly webhook: string
  readonly delivery: string
  readonly replay: string
  readonly import: string
  readonly importprofile: string
  readonly account: string
  /** Of a bank account, for no payment. */
  readonly line: string
  readonly importschedule: string
  readonly template: string
  readonly layout: string
  /** A notification that was sent. */
  readonly message: string
  readonly suppression: string
  readonly integration: string
  /** One whose token a directory has. */
  readonly directory: string
  /** What it has received. */
  readonly received: string
  readonly company: string
}

let count = 0
const STRIPE_SECRET = 'whsec_of_the_matrix'

export const contractBody = ({ kiel }: Pick<Company, 'kiel'>) => ({
  Building: kiel.Id,
  StartDate: '2999-01-01',
  MonthlyRent: { Amount: 900, Currency: 'EUR' },
})

export const readingBody = (Sensor: string) => ({
  Sensor,
  MeasuredAt: '2026-01-31T10:00:00Z',
  Value: 21,
  ReadingId: `gateway ${Sensor}`,
})

export const profileBody = () => ({
  Name: `Profile ${++count}`,
  Object: 'building',
  Mapping: { Fields: { Name: { Column: 'Naam' } } },
})

export const scheduleBody = (Profile: string) => ({
  Name: `Schedule ${++count}`,
  Object: 'building',
  Profile,
  RunAs: 'editor',
  Source: { Kind: 'folder', Folder: 'office' },
  Cron: '0 0 1 1 *',
})

/** Makes one of a kind; `pending` and `deleted` are contracts, `deletedReading` is a reading. */
export const makers = {
  contract: async (company: Company) => (await company.admin.create('contract', contractBody(company))).Id,
  pending: async (company: Company) => {
    const key = await makers.contract(company)
    made(await company.admin.post(`contract/${key}/workflow/submit`))
    return key
  },
  deleted: async (company: Company) => {
    const key = await makers.contract(company)
    made(await company.admin.delete(`contract/${key}`))
    return key
  },
  sensor: async ({ admin }: Company) =>
    (await admin.create('sensor', { Name: 'Cellar', SerialNumber: `cellar ${++count}` })).Id,
  reading: async (company: Company) => readingOf(company, await makers.sensor(company)),
  deletedReading: async (company: Company) => {
    const key = await makers.reading(company)
    made(await company.admin.delete(`sensorreading/${key}`))
    return key
  },
  user: async ({ admin }: Company) => (await makeUser(admin, [])).Id,
  token: async ({ admin }: Company) => (await makeToken(admin, [])).Id,
  role: async ({ admin }: Company) =>
    made(await admin.post('identity/roles', { Name: `role_${++count}`, Grants: [] })).data.Id,
  webhook: async ({ admin }: Company) =>
    made(await admin.post('webhooks', { Url: 'https://hooks.example.com/x', Events: ['contract.deleted'] }))
      .data.Id,
  import: async ({ admin }: Company) => {
    const body = `Name\nBuilding ${++count}\n`
    const sent = made(await admin.post('building/import', body, { 'Content-Type': 'text/csv' }))
    return (await settled(admin, sent.data.Id)).Id
  },
  importprofile: async ({ admin }: Company) =>
    made(await admin.post('import-profiles', profileBody())).data.Id,
  account: async ({ admin }: Company) =>
    (await admin.create('bankaccount', { Name: `Account ${++count}` })).Id,
  line: async ({ admin }: Company) =>
    (
      await admin.create('banktransaction', {
        TransactionId: `line ${++count}`,
        BookingDate: '2029-01-02',
        Amount: { Amount: 5, Currency: 'EUR' },
      })
    ).Id,
  importschedule: async (company: Company) => {
    const profile = await makers.importprofile(company)
    return made(await company.admin.post('import-schedules', scheduleBody(profile))).data.Id
  },
  template: async ({ admin }: Company) => {
    const template = {
      name: `Template ${++count}`,
      trigger: 'service-request-created',
      subject: 'A request',
      body: '<p>{{Subject}}</p>',
    }
    const uploaded = made(await admin.post('notifications/templates', { template }))
    return (uploaded.data['template'] as { readonly Id: string }).Id
  },
  layout: async ({ admin }: Company) => {
    const layout = { name: `Layout ${++count}`, body: '<div>{{content}}</div>' }
    const uploaded = made(await admin.post('notifications/layouts', { layout }))
    return (uploaded.data['layout'] as { readonly Id: string }).Id
  },
  message: async ({ admin }: Company) => {
    const tenant = await admin.create('tenant', { Name: 'Zoë', Email: `zoe-${++count}@example.com` })
    await admin.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
    const filter = new URLSearchParams({ filter: `Recipient eq '${tenant['Email'] as string}'` }).toString()
    for (let looks = 0; looks < 200; looks++) {
      const { list } = await admin.get(`notifications/messages?${filter}`)
      if (list[0]?.['State'] === 'sent') return list[0].Id
      await delay(50)
    }
    throw new Error('no message was sent')
  },
  suppression: async ({ admin }: Company) =>
    made(await admin.post('notifications/suppressions', { Address: `s${++count}@example.com` })).data.Id,
  integration: async ({ admin }: Company) =>
    made(
      await admin.post('integrations', {
        Definition: 'stripe',
        Credentials: { webhookSecret: STRIPE_SECRET },
      }),
    ).data.Id,
  directory: async ({ admin }: Company) => {
    const body = { Definition: 'scim', Credentials: { token: `of directory ${++count}` } }
    const { Id } = made(await admin.post('integrations', body)).data
    made(await admin.post(`integrations/${Id}/start`))
    return Id
  },
  company: async ({ admin }: Company) =>
    made(
      await admin.post('identity/companies', {
        Name: `Company ${++count}`,
        AdminEmail: 'admin@example.com',
        AdminPassword: 'correct horse battery staple',
      }),
    ).data.Id,
}

export type Made = keyof typeof makers | 'login'

/** The name among the things of what is made, where that is another. */
export const madeAs: { readonly [made in Made]?: keyof Things } = {
  pending: 'contract',
  deleted: 'contract',
  deletedReading: 'reading',
}

/** The second of three rows of a pack. */
async function readingOf({ admin }: Company, sensor: string): Promise<string> {
  const row = readingBody(sensor)
  const { list } = made(await admin.post('sensorreading/batch', { Records: [row, row, row] }))
  return list[1]!.Id
}

/** A user who is logged in. */
export async function loggedIn({ admin, key }: Company): Promise<Pick<Things, 'user' | 'session'>> {
  const user = await makeUser(admin, [])
  const cookie = withCookie(await logIn(admin, { ...user, CompanyKey: key }))
  const { list } = await admin.get(`identity/users/${user.Id}/sessions`, cookie)
  return { user: user.Id, session: list[0]!.Id }
}

/** Those that nobody may change by what he is refused. */
export async function thingsOf(company: Company, now: number): Promise<Things> {
  const webhook = await makers.webhook(company)
  const ping = made(await company.admin.post(`webhooks/${webhook}/ping`))
  const replay = made(await company.admin.post(`webhooks/${webhook}/replay`, { From: 'beginning' }))
  // Messages are written by templates that were there before.
  const template = await makers.template(company)
  const sensor = await makers.sensor(company)
  return {
    sensor,
    reading: await readingOf(company, sensor),
    contract: await makers.contract(company),
    ...(await loggedIn(company)),
    token: await makers.token(company),
    role: await makers.role(company),
    webhook,
    delivery: ping.data.Id,
    replay: replay.data.Id,
    import: await makers.import(company),
    importprofile: await makers.importprofile(company),
    account: await makers.account(company),
    line: await makers.line(company),
    importschedule: await makers.importschedule(company),
    template,
    layout: await makers.layout(company),
    message: await makers.message(company),
    suppression: await makers.suppression(company),
    ...(await received(company, now)),
    directory: await makers.directory(company),
    company: company.key,
  }
}

/** An integration that has received a message. */
async function received(company: Company, now: number): Promise<Pick<Things, 'integration' | 'received'>> {
  const { admin } = company
  const integration = await makers.integration(company)
  made(await admin.post(`integrations/${integration}/start`))
  const body = JSON.stringify({ id: 'evt_1', type: 'none', created: 1 })
  const seconds = Math.floor(now / 1_000)
  const v1 = createHmac('sha256', STRIPE_SECRET).update(`${seconds}.${body}`).digest('hex')
  const headers = { 'Stripe-Signature': `t=${seconds},v1=${v1}`, Authorization: '' }
  made(await admin.send('POST', `in/${integration}/events`, { body, headers }))
  const { list } = await admin.get(`integrations/${integration}/inbox`)
  return { integration, received: list[0]!.Id }
}

/** Keys of the same length that nobody has. */
export function unknownLike(things: Things): Things {
  return Object.fromEntries(Object.entries(things).map(([name, key]) => [name, unlike(key as string)])) as {
    [name in keyof Things]: string
  }
}

function made(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`it was not made: ${answer.status} ${answer.text}`)
  return answer
}
