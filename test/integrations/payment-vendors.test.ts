/** Payments of the other vendors, over HTTP, signed as their pages say; and an integration that a reader adds by the page. */
import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { newFolder, testService, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/integrations.md'), 'utf8')
const NOW = '2030-01-01T12:00:00.000Z'

describe('an integration of', () => {
  const clock = manualClock(NOW)
  let folder: string
  let service: TestService
  before(async () => {
    folder = newFolder()
    mkdirSync(join(folder, 'integrations'))
    const [, file = ''] = /```json\n(\{\n {2}"integration"[\s\S]*?)```/.exec(PAGE) ?? []
    writeFileSync(join(folder, 'integrations', 'handyman.json'), file)
    service = await testService({ clock, settings: { DEFINITIONS_DIR: folder } })
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  const setUp = async (Definition: string, Credentials: Fields): Promise<Data> => {
    const { data } = await service.post('integrations', { Definition, Credentials })
    return (await service.post(`integrations/${data.Id}/start`)).data
  }
  const pathOf = ({ Id }: Data) => `in/${Id}/events`
  const send = async (to: Data, body: string, headers: Record<string, string>) =>
    (await service.send('POST', pathOf(to), { body, headers: { Authorization: '', ...headers } })).status
  const paymentOf = async (reference: string) =>
    (await service.list('payment', { filter: `GatewayReference eq '${reference}'` })).list[0]
  const becomes = (reference: string, expected: Fields) =>
    eventually(`payment ${reference}`, async () =>
      expect(await paymentOf(reference)).to.deep.include(expected),
    )

  it('Adyen takes several items at once, and none where one of them is forged', async () => {
    const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
    const adyen = await setUp('adyen', { hmacKey: key })
    const item = (pspReference: string, more: object = {}) => {
      const signed = {
        pspReference,
        originalReference: '',
        merchantAccountCode: 'Shop',
        merchantReference: 'Rent',
        amount: { value: 1130, currency: 'EUR' },
        eventCode: 'AUTHORISATION',
        success: 'true',
        ...more,
      }
      const text = [
        signed.pspReference,
        signed.originalReference,
        signed.merchantAccountCode,
        signed.merchantReference,
        signed.amount.value,
        signed.amount.currency,
        signed.eventCode,
        signed.success,
      ].join(':')
      const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64')
      return { NotificationRequestItem: { ...signed, additionalData: { hmacSignature } } }
    }
    const bodyOf = (...notificationItems: object[]) => JSON.stringify({ live: 'false', notificationItems })
    expect(await send(adyen, bodyOf(item('psp1'), item('psp2', { success: 'false' })), {})).to.equal(200)
    await becomes('psp1', {
      Status: 'Received',
      Amount: { Amount: 11.3, Currency: 'EUR' },
      Reference: 'Rent',
    })
    expect((await paymentOf('psp1'))!['ReceivedAt']).to.match(/^\d{4}-\d\d-\d\dT/)
    await becomes('psp2', { Status: 'Failed', ReceivedAt: null })
    const forged = {
      NotificationRequestItem: { ...item('psp3').NotificationRequestItem, pspReference: 'psp4' },
    }
    expect(await send(adyen, bodyOf(item('psp3'), forged), {})).to.equal(401)
    const back = item('psp5', { eventCode: 'CHARGEBACK', originalReference: 'psp1' })
    expect(await send(adyen, bodyOf(back), {})).to.equal(200)
    await becomes('psp1', { Status: 'Failed', FailureReason: 'charged back' })
    expect([await paymentOf('psp3'), await paymentOf('psp4')]).to.deep.equal([undefined, undefined])
  })

  it('Vipps is verified over method, path, time, host and digest', async () => {
    const vipps = await setUp('vipps', { webhookSecret: 'A0+AeKBR==' })
    const message = (name: string, timestamp: string) =>
      JSON.stringify({
        msn: '123456',
        reference: 'rent-2030-01',
        pspReference: `psp-${name}`,
        name,
        amount: { currency: 'NOK', value: 49_900 },
        timestamp,
        success: true,
      })
    const headersOf = (body: string, path = pathOf(vipps)) => {
      const digest = createHash('sha256').update(body).digest('base64')
      const date = new Date(clock.now()).toUTCString()
      const { host } = new URL(service.url)
      const text = `POST\n/api/v1/${path}\n${date};${host};${digest}`
      const signature = createHmac('sha256', 'A0+AeKBR==').update(text).digest('base64')
      return {
        'X-Ms-Date': date,
        'X-Ms-Content-Sha256': digest,
        Authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
      }
    }
    const captured = message('CAPTURED', '2030-01-01T11:59:30Z')
    expect(await send(vipps, captured, headersOf(captured))).to.equal(200)
    await becomes('rent-2030-01', { Status: 'Received', Amount: { Amount: 499, Currency: 'NOK' } })
    const late = message('AUTHORIZED', '2030-01-01T11:59:00Z')
    expect(await send(vipps, late, headersOf(late))).to.equal(200)
    expect(await send(vipps, captured, headersOf(late))).to.equal(401)
    expect(await send(vipps, captured, headersOf(captured, 'in/other/events'))).to.equal(401)
    await eventually('the late one', async () => {
      const { list } = await service.get(`integrations/${vipps.Id}/inbox?state=ignored`)
      expect(list[0]).to.deep.include({ Source: 'psp-AUTHORIZED/AUTHORIZED' })
    })
    expect(await paymentOf('rent-2030-01')).to.include({ Status: 'Received' })
  })

  it('GoCardless changes payments that are here, several in one message', async () => {
    const gocardless = await setUp('gocardless', { webhookSecret: 'gc' })
    for (const GatewayReference of ['PM1', 'PM2'])
      await service.create('payment', {
        GatewayReference,
        Amount: { Amount: 900, Currency: 'GBP' },
        Status: 'Pending',
      })
    const event = (id: string, action: string, payment: string, details: Fields = {}) => ({
      id,
      created_at: '2030-01-01T11:00:00.000Z',
      resource_type: 'payments',
      action,
      details,
      links: { payment },
    })
    const body = JSON.stringify({
      events: [
        event('EV1', 'confirmed', 'PM1'),
        event('EV2', 'failed', 'PM2', { description: 'insufficient funds' }),
        event('EV3', 'confirmed', 'PM3'),
      ],
    })
    const signature = createHmac('sha256', 'gc').update(body).digest('hex')
    expect(await send(gocardless, body, { 'Webhook-Signature': signature })).to.equal(200)
    await becomes('PM1', { Status: 'Received', Method: 'DirectDebit', ReceivedAt: '2030-01-01T11:00:00Z' })
    await becomes('PM2', { Status: 'Failed', FailureReason: 'insufficient funds' })
    // The third is not there yet; once it is made, the message is applied.
    await service.create('payment', {
      GatewayReference: 'PM3',
      Amount: { Amount: 9, Currency: 'GBP' },
      Status: 'Pending',
    })
    clock.pass(10_000)
    await becomes('PM3', { Status: 'Received' })
  })

  it('Square is verified over the address and the body', async () => {
    const square = await setUp('square', { signatureKey: 'sq' })
    const event = (status: string, updated_at: string) =>
      JSON.stringify({
        type: 'payment.updated',
        event_id: `event-${status}`,
        data: {
          object: {
            payment: {
              id: 'hYy9',
              updated_at,
              amount_money: { amount: 500, currency: 'JPY' },
              status,
              source_type: 'CARD',
            },
          },
        },
      })
    const headersOf = (body: string, url = `${service.url}/api/v1/${pathOf(square)}`) => ({
      'X-Square-HmacSha256-Signature': createHmac('sha256', 'sq')
        .update(url + body)
        .digest('base64'),
    })
    const done = event('COMPLETED', '2030-01-01T10:00:00.000Z')
    expect(await send(square, done, headersOf(done))).to.equal(200)
    await becomes('hYy9', { Status: 'Received', Amount: { Amount: 500, Currency: 'JPY' }, Method: 'Card' })
    expect(await send(square, done, headersOf(done, 'https://other.example/'))).to.equal(401)
  })

  it('one’s own is added by one file, as the page shows it', async () => {
    const secret = Buffer.alloc(32, 7).toString('base64')
    const handyman = await setUp('handyman', { secret })
    const signer = new Webhook(secret)
    const report = (state: string) => {
      const body = JSON.stringify({ job: { id: 'J-17', title: 'Boiler', state } })
      const id = `msg_${state}`
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(clock.now() / 1_000)),
        'webhook-signature': signer.sign(id, new Date(clock.now()), body),
      }
      return send(handyman, body, headers)
    }
    const becomesOrder = (Status: string) =>
      eventually(Status, async () => {
        const { list } = await service.list('workorder', { filter: "Title eq 'Boiler'" })
        expect(list.map((one) => one['Status'])).to.deep.equal([Status])
      })
    expect(await report('accepted')).to.equal(200)
    await becomesOrder('Assigned')
    expect(await report('finished')).to.equal(200)
    await becomesOrder('Completed')
  })
})
