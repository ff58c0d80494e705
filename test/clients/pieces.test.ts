/** Pieces of the client that need no service: signatures, waits, filters. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { sign } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { UntrustedWebhook, verifyWebhook, where } from '../../clients/typescript/src/index.ts'
import { secondsAfter, waitAfter } from '../../clients/typescript/src/retry.ts'

describe('verifying a webhook', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const body = JSON.stringify({
    Event: 'contract.created',
    Timestamp: '2030-01-01T00:00:00Z',
    Data: { Id: 'ø' },
  })
  const at = new Date('2030-01-01T00:00:00Z')
  const now = at.getTime()
  const headers = () => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(now / 1_000),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  })

  it('takes what standardwebhooks signed, also by the secret before', async () => {
    const event = await verifyWebhook(body, headers(), [`whsec_${btoa('another')}`, secret], { now })
    expect([event.Event, event.id, event.Data.Id]).to.deep.equal(['contract.created', 'msg_1', 'ø'])
  })

  it('takes what octokit signed, where the other headers are missing', async () => {
    const signed = { 'x-hub-signature-256': await sign('plain secret', body) }
    expect((await verifyWebhook(Buffer.from(body), new Headers(signed), 'plain secret')).id).to.equal(
      undefined,
    )
  })

  const refusal = async (...given: Parameters<typeof verifyWebhook>) => {
    const outcome: unknown = await verifyWebhook(...given).catch((error: unknown) => error)
    return outcome instanceof UntrustedWebhook
  }

  it('refuses every flipped bit of body, id, time and signature', async () => {
    const bytes = Buffer.from(body)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(await refusal(changed, headers(), secret, { now }), String(bit)).to.equal(true)
    }
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      const right = headers()[name]
      for (let index = name === 'webhook-signature' ? 3 : 0; index < right.length; index++) {
        const flipped = String.fromCharCode(right.charCodeAt(index) ^ 1)
        const value = right.slice(0, index) + flipped + right.slice(index + 1)
        expect(await refusal(body, { ...headers(), [name]: value }, secret, { now }), value).to.equal(true)
      }
    }
  })

  it('refuses what is old, unsigned, or signed for another', async () => {
    for (const later of [-301_000, 301_000])
      expect(await refusal(body, headers(), secret, { now: now + later })).to.equal(true)
    expect(await refusal(body, {}, secret)).to.equal(true)
    expect(await refusal(body, headers(), 'whsec_AAAA', { now })).to.equal(true)
    const { 'webhook-id': _, ...some } = headers()
    expect(await refusal(body, some, secret, { now })).to.equal(true)
    const other = createHmac('sha256', 'x').update(body).digest('hex')
    expect(await refusal(body, { 'X-Hub-Signature-256': `sha256=${other}` }, secret)).to.equal(true)
  })
})

describe('the wait before a request is sent again', () => {
  const wait = (status: number, failures: number, after?: number, retries = 3) =>
    waitAfter({ status, after }, failures, retries, 0)

  it('is 1, 2 and 4 seconds, and then no more', () => {
    for (const status of [0, 408, 500, 503])
      expect([1, 2, 3, 4].map((failures) => wait(status, failures))).to.deep.equal([
        1_000,
        2_000,
        4_000,
        undefined,
      ])
  })

  it('is what Retry-After says, a minute after a 429 without it', () => {
    expect([wait(429, 1), wait(429, 1, 7), wait(503, 2, 1)]).to.deep.equal([60_000, 7_000, 1_000])
    expect(wait(503, 1, 86_400)).to.equal(undefined)
    expect([secondsAfter('7', 0), secondsAfter(null, 0)]).to.deep.equal([7, undefined])
    expect(secondsAfter('Thu, 01 Jan 1970 00:00:09 GMT', 1_000)).to.equal(8)
  })

  it('is never after other refusals, and never where retries are 0', () => {
    for (const status of [400, 401, 403, 404, 409, 412, 413]) expect(wait(status, 1)).to.equal(undefined)
    for (const status of [0, 429, 500]) expect(wait(status, 1, 1, 0)).to.equal(undefined)
  })

  it('is longer by chance, never shorter', () => {
    expect(waitAfter({ status: 500, after: undefined }, 1, 3, 0.999)).to.be.within(1_000, 1_250)
  })
})

describe('a filter of values', () => {
  it('writes each kind of value as the service reads it', () => {
    const text = where`a eq ${"O'Brien"} and b gt ${-1.5} and c eq ${true} and d eq ${null} and e in ${['x', "y'"]}`
    expect(String(text)).to.equal(
      "a eq 'O''Brien' and b gt -1.5 and c eq true and d eq null and e in ('x', 'y''')",
    )
    expect(String(where`f ge ${new Date(0)} or ${where`a eq ${1}`}`)).to.equal(
      'f ge 1970-01-01T00:00:00.000Z or (a eq 1)',
    )
    for (const bad of [Number.NaN, Infinity]) expect(() => where`a eq ${bad}`).to.throw(TypeError)
    expect(() => where`a in ${[]}`).to.throw(TypeError)
  })
})
