/**
 * Writes test/integrations/vendors/signed.json: messages that the vendors' own libraries sign, or believe, and do not believe once
 * they are changed. They are large, so they are installed for this alone.
 *
 *     node scripts/integrations/sign-by-vendors.ts
 */
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LIBRARIES = {
  adyen: '@adyen/api-library@32.1.0',
  square: 'square@46.0.0',
  gocardless: 'gocardless-nodejs@10.1.2',
} as const

interface AdyenLibrary {
  readonly hmacValidator: new () => { calculateHmac(item: object, key: string): string }
}
interface SquareLibrary {
  readonly WebhooksHelper: {
    verifySignature(given: {
      requestBody: string
      signatureHeader: string
      signatureKey: string
      notificationUrl: string
    }): Promise<boolean>
  }
}
interface GoCardlessLibrary {
  verifySignature(body: string, secret: string, signature: string): void
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-vendors-'))
try {
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      ...Object.values(LIBRARIES),
    ],
    { stdio: 'inherit' },
  )
  const load = createRequire(join(folder, 'index.js'))
  const signed = { adyen: adyen(load), square: await square(load), gocardless: gocardless(load) }
  const path = join(import.meta.dirname, '../../test/integrations/vendors/signed.json')
  writeFileSync(path, `${JSON.stringify(signed, undefined, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Signed by the library. */
function adyen(load: NodeJS.Require) {
  const { hmacValidator: Validator } = load('@adyen/api-library') as AdyenLibrary
  const secret = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
  const items = [
    { pspReference: '7914073381342284', success: 'true', amount: { value: 1_130, currency: 'EUR' } },
    { pspReference: 'psp:with\\colon', success: 'false', amount: { value: 0, currency: 'JPY' } },
  ].map((some) => {
    const item = {
      originalReference: '',
      merchantAccountCode: 'TestMerchant',
      merchantReference: 'CON-2030-000001',
      eventCode: 'AUTHORISATION',
      ...some,
    }
    const hmacSignature = new Validator().calculateHmac(item, secret)
    return { NotificationRequestItem: { ...item, additionalData: { hmacSignature } } }
  })
  const body = JSON.stringify({ live: 'false', notificationItems: items })
  return { by: LIBRARIES.adyen, credential: 'hmacKey', secret, headers: {}, body }
}

/** Believed by the library. */
async function square(load: NodeJS.Require) {
  const { WebhooksHelper } = load('square') as SquareLibrary
  const [secret, url] = ['asdf1234', 'https://records.example.com/api/v1/in/integration-1/events']
  const body =
    '{"merchant_id":"MLEFBHHSJGVHD","type":"payment.updated","event_id":"6a8f5f28","data":{"id":"hYy9 ø"}}'
  const signature = createHmac('sha256', secret)
    .update(url + body)
    .digest('base64')
  const given = { signatureHeader: signature, signatureKey: secret, notificationUrl: url }
  const [isGood, isBad] = await Promise.all(
    [body, `${body} `].map((requestBody) => WebhooksHelper.verifySignature({ ...given, requestBody })),
  )
  if (isGood !== true || isBad !== false) throw new Error('Square judges otherwise')
  const headers = { 'x-square-hmacsha256-signature': signature }
  return { by: LIBRARIES.square, credential: 'signatureKey', secret, url, headers, body }
}

/** Believed by the library. */
function gocardless(load: NodeJS.Require) {
  const { verifySignature } = load('gocardless-nodejs/webhooks') as GoCardlessLibrary
  const secret = 'ED7D658C-D8EB-4941-948B-3973214F2D49'
  const body =
    '{"events":[{"id":"EV00BD05S5VM2T","resource_type":"payments","action":"confirmed","links":{"payment":"PM1"}}]}'
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  verifySignature(body, secret, signature)
  let isRefused = false
  try {
    verifySignature(`${body} `, secret, signature)
  } catch {
    isRefused = true
  }
  if (!isRefused) throw new Error('GoCardless judges otherwise')
  const headers = { 'webhook-signature': signature }
  return { by: LIBRARIES.gocardless, credential: 'webhookSecret', secret, headers, body }
}
