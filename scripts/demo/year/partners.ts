/**
 * A day on which the company tries its other systems: books, people, files and more payment providers. In the evening those that have
 * to be asked are paused, as they are only there while the year is told; what was sent and received stays to be looked at.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { monthsAfter } from '../company.ts'
import { partners, type Partners } from '../partners/partners.ts'
import { moment, workday } from './agenda.ts'
import { sendMessage, setUp } from './integrations.ts'
import { act, create, type Story } from './story.ts'

const MONTH = 10
const SECRET = {
  adyen: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
  gocardless: 'demo-secret',
}
const WAIT_MS = 60_000
const REST_MS = 50

export function planPartners(story: Story): void {
  const { agenda, company, as } = story
  const day = workday(monthsAfter(company.today, MONTH, 5))
  let there: Partners
  const keys: Record<string, string> = {}
  agenda.at(moment(day, 10), async () => {
    there = await partners(story.now)
    for (const [name, Credentials, more] of asked(there.url))
      keys[name] = await setUp(as.maria, name, Credentials, { BaseUrl: `${there.url}/${name}`, ...more })
    keys['adyen'] = await setUp(as.maria, 'adyen', { hmacKey: SECRET.adyen })
    keys['gocardless'] = await setUp(as.maria, 'gocardless', { webhookSecret: SECRET.gocardless })
    await billed(story, 'Nordlys Eiendom AS', ['NOK'])
    await billed(story, 'Harbour Coffee Ltd', ['GBP', 'EUR', 'EUR'])
    await quiet(story, keys)
    await notified(story, keys)
  })
  agenda.at(moment(day, 10, 20), async () => {
    there.pay()
    // Later than what was seen before.
    await delay(REST_MS)
  })
  agenda.at(moment(day, 10, 40), () => paid(story, 'Harbour Coffee Ltd', 2))
  agenda.at(moment(day, 12), () => paid(story, 'Nordlys Eiendom AS', 1))
  agenda.at(moment(day, 18), async () => {
    await quiet(story, keys)
    for (const [name] of asked('')) await as.maria.call('POST', `integrations/${keys[name]!}/pause`)
    there.close()
  })
}

/** Those that are asked, and with what. */
const asked = (url: string): readonly (readonly [string, object, object])[] => [
  [
    'xero',
    { clientId: 'demo', clientSecret: 'demo', refreshToken: 'first' },
    { TokenUrl: `${url}/xero/connect/token`, Settings: { tenant: 'linden' } },
  ],
  ['tripletex', { consumerToken: 'demo', employeeToken: 'demo' }, {}],
  ['bamboohr', { apiKey: 'demo', password: 'x' }, {}],
  [
    'sharepoint',
    { clientId: 'demo', clientSecret: 'demo' },
    { TokenUrl: `${url}/sharepoint/token`, Settings: { drive: 'documents' } },
  ],
  ['webdav', { user: 'daybook', password: 'demo' }, {}],
  ['mollie', { apiKey: 'demo' }, {}],
  ['paypal', { clientId: 'demo', clientSecret: 'demo' }, { TokenUrl: `${url}/paypal/token` }],
]

async function billed({ as, now }: Story, Name: string, currencies: readonly string[]): Promise<void> {
  const Tenant = await create(as.maria, 'tenant', { Name, TenantType: 'Company' }, 'Rents by the month')
  const IssueDate = new Date(now()).toISOString().slice(0, 10)
  for (const [index, Currency] of currencies.entries()) {
    const amount = { Amount: 900 + index * 150, Currency }
    const body = {
      Tenant,
      InvoiceType: 'Rent',
      IssueDate,
      DueDate: IssueDate,
      TotalAmount: amount,
      OpenAmount: amount,
    }
    await act(as.piotr, `invoice/${await create(as.piotr, 'invoice', body)}`, 'issue')
  }
}

async function notified(story: Story, keys: Readonly<Record<string, string>>): Promise<void> {
  const { as, now } = story
  const send = (name: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    sendMessage(story, keys[name]!, { path: `in/${keys[name]!}/events`, body, headers })
  for (const number of [1, 2, 3]) {
    await send('mollie', `id=tr_demo${number}`, { 'Content-Type': 'application/x-www-form-urlencoded' })
    await send('paypal', JSON.stringify({ id: `WH-${number}`, resource: { id: `CAPTURE${number}` } }))
    await send('adyen', adyenMessage(`8515${number}`, 12_500 + number * 100))
    const reference = `PM00${number}`
    const amount = { Amount: 640, Currency: 'GBP' }
    const body = { GatewayReference: reference, Amount: amount, Status: 'Expected', Method: 'DirectDebit' }
    await create(as.piotr, 'payment', body, 'Collected by direct debit')
    const event = {
      id: `EV${number}`,
      created_at: new Date(now()).toISOString(),
      resource_type: 'payments',
      action: 'confirmed',
      links: { payment: reference },
    }
    const text = JSON.stringify({ events: [event] })
    const signature = createHmac('sha256', SECRET.gocardless).update(text).digest('hex')
    await send('gocardless', text, { 'Webhook-Signature': signature })
  }
}

function adyenMessage(pspReference: string, value: number): string {
  const item = {
    pspReference,
    originalReference: '',
    merchantAccountCode: 'Linden',
    merchantReference: 'Storage',
    amount: { value, currency: 'EUR' },
    eventCode: 'AUTHORISATION',
    success: 'true',
  }
  const { amount, ...texts } = item
  const signed = [
    ...[texts.pspReference, texts.originalReference, texts.merchantAccountCode, texts.merchantReference],
    ...[amount.value, amount.currency, texts.eventCode, texts.success],
  ].join(':')
  const hmacSignature = createHmac('sha256', Buffer.from(SECRET.adyen, 'hex')).update(signed).digest('base64')
  const NotificationRequestItem = { ...item, additionalData: { hmacSignature } }
  return JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem }] })
}

/** Nothing is left to be sent or applied. */
async function quiet({ as }: Story, keys: Readonly<Record<string, string>>): Promise<void> {
  const left = async (path: string) =>
    (await as.maria.call('GET', `${path}&pageSize=1`)).total > 0 ? [path] : []
  const paths = Object.values(keys).flatMap((key) => [
    `integrations/${key}/inbox?state=stored`,
    `integrations/${key}/sent?state=due`,
    `integrations/${key}/sent?state=attempting`,
  ])
  await until('other systems', async () => (await Promise.all(paths.map(left))).flat().length === 0)
}

/** What was paid there is paid here. */
async function paid({ as }: Story, tenant: string, count: number): Promise<void> {
  const filter = encodeURIComponent(`Status eq 'Paid' and Tenant/Name eq '${tenant}'`)
  const path = `invoice?pageSize=1&filter=${filter}`
  await until(`invoices of ${tenant}`, async () => (await as.piotr.call('GET', path)).total === count)
}

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await delay(REST_MS))
    if (await check()) return
  throw new Error(`${what} take too long`)
}
