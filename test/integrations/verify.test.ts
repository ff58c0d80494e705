/** Verification of inbound messages, against vendors' published vectors and ready-made signers. */
import { createHash, createHmac } from 'node:crypto'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import type { Json } from '../../src/domain/json.ts'
import { verifyScheme } from '../../src/integrations/definition/verify-schema.ts'
import { doubtOf } from '../../src/integrations/verify/verify.ts'

const NOW = Date.parse('2030-01-01T12:00:00Z')
const seconds = String(NOW / 1_000)

interface Sent {
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
  readonly url?: string
}

/** The doubt about what was sent, with these schemes and secrets. */
function doubt(
  schemes: readonly object[],
  sent: Sent,
  secrets: { readonly [name: string]: readonly string[] },
) {
  const body = sent.body ?? '{}'
  return doubtOf(
    schemes.map((scheme) => verifyScheme.parse(scheme)),
    {
      inbound: {
        method: 'POST',
        url: sent.url ?? 'https://daybook.example.com/api/v1/in/one/events?a=1',
        headers: sent.headers ?? {},
        body: Buffer.from(body),
      },
      payload: JSON.parse(body) as Json,
      secrets: (name) => secrets[name] ?? [],
      now: NOW,
    },
  )
}

const bodySigned = {
  hmac: 'sha256',
  secret: 'key',
  from: { header: 'X-Hub-Signature-256' },
  prefix: 'sha256=',
  encoding: 'hex',
  content: ['body'],
}

const standard = {
  hmac: 'sha256',
  secret: 'key',
  key: 'base64',
  from: { header: 'webhook-signature' },
  split: { by: ' ', pair: ',', take: 'v1' },
  encoding: 'base64',
  content: [{ header: 'webhook-id' }, { header: 'webhook-timestamp' }, 'body'],
  join: '.',
  timestamp: { from: { header: 'webhook-timestamp' }, unit: 's', tolerance: 300 },
}

const stripe = {
  hmac: 'sha256',
  secret: 'key',
  from: { header: 'stripe-signature' },
  split: { by: ',', pair: '=', take: 'v1' },
  encoding: 'hex',
  content: [{ token: 't' }, { text: '.' }, 'body'],
  timestamp: { from: { token: 't' }, unit: 's', tolerance: 300 },
}

const adyen = {
  hmac: 'sha256',
  secret: 'key',
  key: 'hex',
  from: { field: 'additionalData.hmacSignature' },
  encoding: 'base64',
  each: 'notificationItems.NotificationRequestItem',
  content: [
    'pspReference',
    'originalReference',
    'merchantAccountCode',
    'merchantReference',
    'amount.value',
    'amount.currency',
    'eventCode',
    'success',
  ].map((field) => ({ field })),
  join: ':',
}

describe('a signature', () => {
  it('over the body is verified as GitHub signs, and refused with any byte changed', async () => {
    const body = JSON.stringify({ hello: 'wörld' })
    const signature = await signForGitHub('It is a secret', body)
    const secrets = { key: ['It is a secret'] }
    const sent = { body, headers: { 'x-hub-signature-256': signature } }
    expect(doubt([bodySigned], sent, secrets)).to.equal(undefined)
    expect(doubt([bodySigned], { ...sent, body: `${body} ` }, secrets)).to.match(/another one/)
    expect(doubt([bodySigned], sent, { key: ['another'] })).to.match(/another one/)
    expect(doubt([bodySigned], { body }, secrets)).to.match(/missing/)
    expect(doubt([bodySigned], sent, {})).to.match(/not set/)
  })

  it('of Standard Webhooks is verified, by the old secret too while it is rotated, and only in its time', () => {
    const [fresh, old] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
    const body = '{"a":1}'
    const headersOf = (secret: string, at = NOW) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at / 1_000),
      'webhook-signature': new Webhook(secret).sign('msg_1', new Date(at), body),
    })
    expect(doubt([standard], { body, headers: headersOf(old) }, { key: [fresh, old] })).to.equal(undefined)
    expect(doubt([standard], { body, headers: headersOf(old) }, { key: [fresh] })).to.match(/another one/)
    const late = headersOf(fresh, NOW - 301_000)
    expect(doubt([standard], { body, headers: late }, { key: [fresh] })).to.match(/301 seconds/)
    const both = {
      ...headersOf(fresh),
      'webhook-signature': `v1,AAAA v2,zzz ${headersOf(fresh)['webhook-signature']}`,
    }
    expect(doubt([standard], { body, headers: both }, { key: [fresh] })).to.equal(undefined)
  })

  it('as Stripe writes it carries its own time, which is signed', () => {
    const body = '{"id":"evt_1"}'
    const hex = createHmac('sha256', 'whsec_x').update(`${seconds}.${body}`).digest('hex')
    const secrets = { key: ['whsec_x'] }
    const header = (text: string) => ({ body, headers: { 'stripe-signature': text } })
    expect(doubt([stripe], header(`t=${seconds},v1=00,v1=${hex},v0=ab`), secrets)).to.equal(undefined)
    expect(doubt([stripe], header(`t=${Number(seconds) + 1},v1=${hex}`), secrets)).to.match(/another one/)
    expect(doubt([stripe], header(`t=${seconds},v1=${hex}0`), secrets), 'a digit more').to.match(
      /another one/,
    )
    expect(doubt([stripe], header(`v1=${hex}`), secrets)).to.match(/time of the signature is missing/)
  })

  it('of each item is verified with the vector that Adyen publishes, for every field that it covers', () => {
    const item = {
      pspReference: '7914073381342284',
      merchantAccountCode: 'TestMerchant',
      merchantReference: 'TestPayment-1407325143704',
      amount: { value: 1130, currency: 'EUR' },
      eventCode: 'AUTHORISATION',
      success: 'true',
      additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
    }
    const secrets = { key: ['44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'] }
    const sent = (...items: object[]) => ({
      body: JSON.stringify({
        notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem })),
      }),
    })
    expect(doubt([adyen], sent(item, item), secrets)).to.equal(undefined)
    for (const change of [
      { pspReference: '7914073381342285' },
      { originalReference: 'x' },
      { merchantAccountCode: 'Other' },
      { merchantReference: 'Other' },
      { amount: { value: 1131, currency: 'EUR' } },
      { amount: { value: 1130, currency: 'USD' } },
      { eventCode: 'REFUND' },
      { success: 'false' },
      { success: { toString: 'true' } },
    ])
      expect(
        doubt([adyen], sent(item, { ...item, ...change }), secrets),
        JSON.stringify(change),
      ).to.not.equal(undefined)
    expect(doubt([adyen], sent(), secrets)).to.match(/nothing/)
  })

  it('over the address is verified as Square signs, and over a digest as Vipps does', () => {
    const square = {
      hmac: 'sha256',
      secret: 'key',
      from: { header: 'x-square-hmacsha256-signature' },
      encoding: 'base64',
      content: ['url', 'body'],
    }
    const url = 'https://daybook.example.com/api/v1/in/square/events'
    const body = '{"merchant_id":"M"}'
    const signature = createHmac('sha256', 's')
      .update(url + body)
      .digest('base64')
    const headers = { 'x-square-hmacsha256-signature': signature }
    expect(doubt([square], { url, body, headers }, { key: ['s'] })).to.equal(undefined)
    expect(doubt([square], { url: `${url}?x`, body, headers }, { key: ['s'] })).to.match(/another one/)

    const vipps = [
      { digest: 'sha256', from: { header: 'x-ms-content-sha256' }, encoding: 'base64' },
      {
        hmac: 'sha256',
        secret: 'key',
        from: { header: 'authorization' },
        split: { by: '&', pair: '=', take: 'Signature' },
        encoding: 'base64',
        content: [
          'method',
          { text: '\n' },
          'path',
          { text: '\n' },
          { header: 'x-ms-date' },
          { text: ';' },
          { header: 'host' },
          { text: ';' },
          { header: 'x-ms-content-sha256' },
        ],
        timestamp: { from: { header: 'x-ms-date' }, unit: 'http', tolerance: 300 },
      },
    ]
    const digest = createHash('sha256').update(body).digest('base64')
    const date = new Date(NOW).toUTCString()
    const signed = `POST\n/api/v1/in/square/events\n${date};daybook.example.com;${digest}`
    const vippsHeaders = {
      'x-ms-date': date,
      host: 'daybook.example.com',
      'x-ms-content-sha256': digest,
      authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${createHmac('sha256', 's').update(signed).digest('base64')}`,
    }
    expect(doubt(vipps, { url, body, headers: vippsHeaders }, { key: ['s'] })).to.equal(undefined)
    expect(
      doubt(vipps, { url, body: '{"merchant_id":"N"}', headers: vippsHeaders }, { key: ['s'] }),
    ).to.match(/digest/)
  })

  it('of no header, in any encoding, throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(bodySigned, standard, stripe), (text, scheme) => {
        const headers = {
          [scheme.from.header.toLowerCase()]: text,
          'webhook-timestamp': text,
          'webhook-id': text,
        }
        expect(doubt([scheme], { headers }, { key: ['c2VjcmV0'] })).to.be.a('string')
      }),
    )
  })
})

describe('a secret that is sent along', () => {
  it('stands in a header, a field, each item, a parameter, or in credentials', () => {
    const secrets = { key: ['new', 'old'], user: ['u:'], password: ['p:q'] }
    const basic = (text: string) => ({
      headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
    })
    const header = { header: 'X-Token', secret: 'key' }
    const field = { field: 'clientState', each: 'value', secret: 'key' }
    const query = { query: 'token', secret: 'key' }
    expect(doubt([header], { headers: { 'x-token': 'old' } }, secrets)).to.equal(undefined)
    expect(doubt([header], { headers: { 'x-token': 'older' } }, secrets)).to.match(/another/)
    expect(doubt([field], { body: '{"value":[{"clientState":"new"}]}' }, secrets)).to.equal(undefined)
    expect(doubt([field], { body: '{"value":[{"clientState":"new"},{}]}' }, secrets)).to.match(/missing/)
    expect(doubt([query], { url: 'https://d.example/in?token=new' }, secrets)).to.equal(undefined)
    expect(doubt([query], { url: 'https://d.example/in' }, secrets)).to.match(/missing/)
    expect(doubt([{ bearer: 'key' }], { headers: { authorization: 'Bearer new' } }, secrets)).to.equal(
      undefined,
    )
    const credentials = { basic: { user: 'user', password: 'password' } }
    expect(doubt([credentials], basic('u::p:q'), secrets)).to.match(/another/)
    expect(doubt([credentials], basic('u:p:q'), { ...secrets, user: ['u'] })).to.equal(undefined)
    expect(doubt([], {}, secrets)).to.match(/does not say/)
  })
})
