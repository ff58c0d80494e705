/**
 * Notifications of payments as the worst sender would send them: out of order, each several times, some forged. Worked out beside
 * them, without the code of the service: which state each payment has to come to.
 */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import type { Client } from '../support/service.ts'

export interface Shuffled {
  readonly payments: number
  /** How often each notification is sent. */
  readonly times: number
  /** In ms since 1970, by the clock of the service. */
  readonly now: () => number
  /** From 0 to below 1; repeatable. */
  readonly random: () => number
}

export interface ShuffledOutcome {
  readonly sent: number
  readonly forged: number
  /** From the first to the last answer, in ms. */
  readonly sentInMs: number
  /** From the first message to the moment at which all were decided on, in ms. */
  readonly appliedInMs: number
}

const SECRET = 'whsec_shuffled'
const LANES = 16
const STORIES = [
  { types: ['processing', 'succeeded'], ends: 'Received' },
  { types: ['succeeded'], ends: 'Received' },
  { types: ['processing', 'payment_failed'], ends: 'Failed' },
  { types: ['payment_failed', 'succeeded'], ends: 'Received' },
  { types: ['processing', 'succeeded', 'refunded'], ends: 'Refunded' },
] as const

/** Sends them, waits until all are decided on, and expects one payment of each, in its right state, none of those forged. */
export async function sendShuffled(service: Client, options: Shuffled): Promise<ShuffledOutcome> {
  const { data } = await service.post('integrations', {
    Definition: 'stripe',
    Credentials: { webhookSecret: SECRET },
  })
  await service.post(`integrations/${data.Id}/start`)
  const messages = shuffled(options)
  const began = performance.now()
  await inLanes(messages, async ({ body, secret }) => {
    const seconds = Math.floor(options.now() / 1_000)
    const v1 = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    const headers = { 'Stripe-Signature': `t=${seconds},v1=${v1}`, Authorization: '' }
    const { status } = await service.send('POST', `in/${data.Id}/events`, { body, headers })
    expect(status).to.equal(secret === SECRET ? 200 : 401)
  })
  const sentInMs = performance.now() - began
  for (const state of ['stored', 'waiting'])
    while (
      (await service.get(`integrations/${data.Id}/inbox?state=${state}&pageSize=1`)).pagination.TotalRecords >
      0
    )
      await new Promise((resolve) => setTimeout(resolve, 50))
  const appliedInMs = performance.now() - began
  await expectPayments(service, options.payments)
  const forged = messages.filter(({ secret }) => secret !== SECRET).length
  return { sent: messages.length, forged, sentInMs, appliedInMs }
}

async function expectPayments(service: Client, payments: number): Promise<void> {
  const counts = new Map<string, number>()
  const pages = Math.ceil(payments / 100)
  for (let page = 1; page <= pages + 1; page++)
    for (const payment of (await service.get(`payment?page=${page}&pageSize=100&sort=GatewayReference`))
      .list) {
      const reference = payment['GatewayReference'] as string
      counts.set(reference, (counts.get(reference) ?? 0) + 1)
      const number = Number(reference.slice('pi_'.length))
      expect([reference, payment['Status']]).to.deep.equal([
        reference,
        STORIES[number % STORIES.length]!.ends,
      ])
    }
  expect([...counts.values()].every((count) => count === 1)).to.equal(true)
  expect(counts.size).to.equal(payments)
}

interface Message {
  readonly body: string
  readonly secret: string
}

function shuffled({ payments, times, random, now }: Shuffled): readonly Message[] {
  const start = Math.floor(now() / 1_000) - 100_000
  const all: Message[] = []
  for (let number = 0; number < payments; number++) {
    const { types } = STORIES[number % STORIES.length]!
    for (const [step, type] of types.entries()) {
      const body = JSON.stringify(eventOf(`pi_${number}`, type, start + number + step * 60))
      for (let time = 0; time < times; time++) all.push({ body, secret: SECRET })
      // What a forger would want: that the payment has come.
      const forged = eventOf(`pi_forged_${number}`, 'succeeded', start)
      if (random() < 0.03) all.push({ body: JSON.stringify(forged), secret: 'whsec_of_a_forger' })
    }
  }
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[all[at], all[other]] = [all[other]!, all[at]!]
  }
  return all
}

function eventOf(id: string, type: string, created: number): Fields {
  const isRefund = type === 'refunded'
  const intent = { id, amount: 100_000, amount_received: 100_000, currency: 'eur', metadata: {} }
  return {
    id: `evt_${id}_${type}`,
    type: isRefund ? 'charge.refunded' : `payment_intent.${type}`,
    created,
    data: { object: isRefund ? { id: `ch_${id}`, payment_intent: id, refunded: true } : intent },
  }
}

async function inLanes<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < all.length) await work(all[next++]!)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
