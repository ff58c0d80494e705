/**
 * What other systems send in the year: payment providers notify, visitors of the website ask for a flat, a sensor in the
 * cellar measures. Each message is signed as its sender does it, and taken by the file that is shipped.
 */
import { createHash, createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import { monthsAfter } from '../company.ts'
import { FIRST_NAMES, LAST_NAMES } from '../names.ts'
import { randomOf } from '../random.ts'
import { moment, workday } from './agenda.ts'
import { create, type Story } from './story.ts'

const MONTHS = 12
const SECRET = {
  stripe: 'whsec_demo',
  vipps: 'demo-secret',
  square: 'demo-key',
  sensors: 'demo-gateway-token',
}

export function planIntegrations(story: Story): void {
  const { agenda, as, company } = story
  const keys = { stripe: '', vipps: '', square: '', form: '', sensors: '' }
  const first = workday(company.today, 3)
  agenda.at(moment(first, 10), async () => {
    keys.stripe = await setUp(as.maria, 'stripe', { webhookSecret: SECRET.stripe })
    keys.vipps = await setUp(as.maria, 'vipps', { webhookSecret: SECRET.vipps })
    keys.square = await setUp(as.maria, 'square', { signatureKey: SECRET.square })
    keys.form = await setUp(as.maria, 'website-form', {})
    keys.sensors = await setUp(as.maria, 'senml-http', { token: SECRET.sensors })
    const Building = story.keys.building[0]
    const body = {
      Name: 'Cellar, boiler room',
      SerialNumber: 'urn:dev:ow:1',
      SensorType: 'Temperature',
      Building,
    }
    await create(as.sven, 'sensor', body, 'Put up beside the boiler')
  })
  for (let month = 0; month < MONTHS; month++) {
    const day = workday(monthsAfter(company.today, month, 12))
    agenda.at(moment(day, 12), () => stripe(story, keys.stripe, month, 'succeeded'))
    agenda.at(moment(day, 20), () => measured(story, keys.sensors, month))
    // A bank sees another card of the same tenant two days later.
    if (month % 4 === 1) {
      agenda.at(moment(workday(day, 2), 12), () => stripe(story, keys.stripe, month + 100, 'payment_failed'))
      agenda.at(moment(workday(day, 4), 12), () => stripe(story, keys.stripe, month + 100, 'succeeded'))
    }
    if (month % 3 === 0) agenda.at(moment(day, 13), () => vipps(story, keys.vipps, month))
    if (month % 3 === 1) agenda.at(moment(day, 13), () => square(story, keys.square, month))
    askedFor(story, () => keys.form, month)
  }
}

export async function setUp(
  api: ApiClient,
  Definition: string,
  Credentials: object,
  more: object = {},
): Promise<string> {
  const body = { Definition, Credentials, ...more }
  const key = await create(api, 'integrations', body, 'Set up with the provider')
  await api.call('POST', `integrations/${key}/start`)
  return key
}

const WAIT_MS = 30_000
const REST_MS = 20

/** Sends a message, and waits until it has been dealt with, at the moment at which it came. */
export async function sendMessage(
  { url, as }: Story,
  integration: string,
  sent: { readonly path: string; readonly body: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { path, body, headers } = sent
  const type = { 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    body,
    headers: { ...type, ...headers },
  })
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  for (const until = performance.now() + WAIT_MS; performance.now() < until; await delay(REST_MS))
    if ((await as.maria.call('GET', `integrations/${integration}/inbox?state=stored&pageSize=1`)).total === 0)
      return
  throw new Error(`what was sent to ${path} is not dealt with`)
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text)

async function stripe(story: Story, key: string, number: number, outcome: string): Promise<void> {
  const seconds = Math.floor(story.now() / 1_000)
  const amount = randomOf(`card ${number}`).between(30, 180) * 1_000
  const body = JSON.stringify({
    id: `evt_${number}_${outcome}`,
    type: `payment_intent.${outcome}`,
    created: seconds,
    data: {
      object: {
        id: `pi_${number}`,
        amount,
        amount_received: amount,
        currency: 'eur',
        description: 'Deposit paid by card',
        payment_method_types: ['card'],
        last_payment_error: { message: 'Your card has insufficient funds.' },
        metadata: {},
      },
    },
  })
  const v1 = hmac(SECRET.stripe, `${seconds}.${body}`).digest('hex')
  await sendMessage(story, key, {
    path: `in/${key}/events`,
    body,
    headers: { 'Stripe-Signature': `t=${seconds},v1=${v1}` },
  })
}

async function vipps(story: Story, key: string, month: number): Promise<void> {
  const path = `in/${key}/events`
  const at = new Date(story.now())
  const body = JSON.stringify({
    msn: '123456',
    reference: `storage-${month}`,
    pspReference: `psp-${month}`,
    name: 'CAPTURED',
    amount: { currency: 'NOK', value: 49_900 },
    timestamp: at.toISOString(),
    success: true,
  })
  const digest = createHash('sha256').update(body).digest('base64')
  const signed = `POST\n/api/v1/${path}\n${at.toUTCString()};${new URL(story.url).host};${digest}`
  const signature = hmac(SECRET.vipps, signed).digest('base64')
  const headers = {
    'X-Ms-Date': at.toUTCString(),
    'X-Ms-Content-Sha256': digest,
    Authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
  }
  await sendMessage(story, key, { path, body, headers })
}

async function square(story: Story, key: string, month: number): Promise<void> {
  const path = `in/${key}/events`
  const payment = {
    id: `sq-${month}`,
    updated_at: new Date(story.now()).toISOString(),
    amount_money: { amount: 2_500, currency: 'GBP' },
    status: 'COMPLETED',
    source_type: 'CARD',
  }
  const body = JSON.stringify({
    type: 'payment.updated',
    event_id: `sq-event-${month}`,
    data: { object: { payment } },
  })
  const signature = hmac(SECRET.square, `${story.url}/api/v1/${path}${body}`).digest('base64')
  await sendMessage(story, key, { path, body, headers: { 'X-Square-HmacSha256-Signature': signature } })
}

/** A day of the boiler room, an hour a reading. */
async function measured(story: Story, key: string, month: number): Promise<void> {
  const bt = Math.floor(story.now() / 1_000) - 24 * 3_600
  const random = randomOf(`boiler ${month}`)
  const body = JSON.stringify([
    { bn: 'urn:dev:ow:1:', bt, bu: 'Cel', n: 'temp', v: 18 },
    ...Array.from({ length: 23 }, (_, i) => ({
      n: 'temp',
      t: (i + 1) * 3_600,
      v: 16 + random.between(0, 60) / 10,
    })),
  ])
  const headers = { 'Content-Type': 'application/senml+json', Authorization: `Bearer ${SECRET.sensors}` }
  await sendMessage(story, key, { path: `in/${key}/readings`, body, headers })
}

/** A visitor of the website, and now and then a robot, which is set aside. */
function askedFor(story: Story, key: () => string, month: number): void {
  const { agenda, company } = story
  const random = randomOf(`visitor ${month}`)
  const day = workday(monthsAfter(company.today, month, random.between(2, 25)))
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)]
  const fields = {
    name: `${first} ${last}`,
    email: `visitor${month}@example.com`,
    message: 'Is the flat on the second floor still free?',
    ...(random.chance(0.6) && { consent: 'on', 'consent-text': 'You may write to me about other offers.' }),
  }
  let proof = {}
  // As long as people take to fill it in.
  agenda.at(moment(day, 21), async () => (proof = await proofOf(story, key())))
  agenda.at(moment(day, 21, 2), () => fill(story, key(), { ...fields, ...proof }))
  if (month % 4 === 2)
    agenda.at(moment(day, 3), () => fill(story, key(), { ...fields, website: 'https://spam.example' }))
}

function fill(story: Story, key: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Referer: 'https://www.example.com/flats',
  }
  return sendMessage(story, key, {
    path: `forms/${key}`,
    body: new URLSearchParams(fields).toString(),
    headers,
  })
}

/** The proof of work that the script of the form does. */
async function proofOf({ url }: Story, key: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/api/v1/forms/${key}/challenge`)
  const { Data } = (await response.json()) as { Data: { Challenge: string; Bits: number } }
  for (let answer = 0; ; answer++) {
    const digest = createHash('sha256').update(`${Data.Challenge}.${answer}`).digest()
    if (digest.readUInt32BE(0) >>> (32 - Data.Bits) === 0)
      return { 'daybook-challenge': Data.Challenge, 'daybook-answer': String(answer) }
  }
}
