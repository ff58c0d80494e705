/** Payments at PayPal: a file that was written by its docs alone, against a partner that asks for tokens as it does. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { testService, type Data, type TestService } from '../support/service.ts'
import { LOOPBACK, partner, type Partner } from './support/partner.ts'

describe('payments at PayPal', () => {
  let service: TestService
  let paypal: Partner
  let integration: Data
  const captures = new Map<string, Fields>()
  const basic = `Basic ${Buffer.from('client:secret').toString('base64')}`

  before(async () => {
    paypal = await partner(({ method, path, headers, body }) => {
      if (path === '/v1/oauth2/token')
        return method === 'POST' &&
          headers.authorization === basic &&
          body === 'grant_type=client_credentials'
          ? { json: { access_token: 'A21', token_type: 'Bearer', expires_in: 32_400 } }
          : { status: 401, json: { error: 'invalid_client' } }
      if (headers.authorization !== 'Bearer A21') return { status: 401 }
      const found = captures.get(path)
      return found ? { json: found } : { status: 404, json: { name: 'RESOURCE_NOT_FOUND' } }
    })
    service = await testService({ settings: LOOPBACK })
    const made = await service.post('integrations', {
      Definition: 'paypal',
      BaseUrl: paypal.url,
      TokenUrl: `${paypal.url}/v1/oauth2/token`,
      Credentials: { clientId: 'client', clientSecret: 'secret' },
    })
    expect(made.status, made.text).to.equal(201)
    integration = (await service.post(`integrations/${made.data.Id}/start`)).data
  })
  after(async () => {
    await service.discard()
    await paypal.stop()
  })

  const keep = (id: string, status: string, minute: number, more: Fields = {}) =>
    captures.set(`/v2/payments/captures/${id}`, {
      ...{ id, status, amount: { currency_code: 'EUR', value: '950.00' }, invoice_id: 'Rent 2030-01' },
      ...{ create_time: '2030-01-01T12:00:00Z', update_time: `2030-01-01T12:0${minute}:00Z`, ...more },
    })
  const send = async (id: string, type: string) => {
    const answer = await service.send('POST', `in/${integration.Id}`, {
      body: JSON.stringify({
        id: `WH-${type}-${id}`,
        event_type: type,
        resource: { id, status: 'COMPLETED' },
      }),
      headers: { Authorization: '', 'Content-Type': 'application/json' },
    })
    expect(answer.status).to.equal(200)
  }
  const paymentOf = async (id: string) =>
    (await service.list('payment', { filter: `GatewayReference eq '${id}'` })).list[0]
  const becomes = (id: string, status: string) =>
    eventually(status, async () => {
      const payment = await paymentOf(id)
      expect(payment).to.include({ Status: status })
      return payment!
    })
  const ignored = async () =>
    (await service.list(`integrations/${integration.Id}/inbox`, { state: 'ignored' })).list.map(
      ({ Reason }) => Reason,
    )

  it('follow what the capture is, whatever the message says', async () => {
    keep('3C679366HH908993F', 'PENDING', 0)
    await send('3C679366HH908993F', 'PAYMENT.CAPTURE.PENDING')
    await becomes('3C679366HH908993F', 'Pending')
    keep('3C679366HH908993F', 'COMPLETED', 1)
    await send('3C679366HH908993F', 'PAYMENT.CAPTURE.COMPLETED')
    expect(await becomes('3C679366HH908993F', 'Received')).to.deep.include({
      Amount: { Amount: 950, Currency: 'EUR' },
      ReceivedAt: '2030-01-01T12:00:00Z',
      Reference: 'Rent 2030-01',
    })
    keep('7TK53561YB803214S', 'DECLINED', 1, { status_details: { reason: 'DECLINED_BY_RISK_FRAUD_FILTERS' } })
    await send('7TK53561YB803214S', 'PAYMENT.CAPTURE.DENIED')
    expect(await becomes('7TK53561YB803214S', 'Failed')).to.include({
      FailureReason: 'DECLINED_BY_RISK_FRAUD_FILTERS',
    })
    keep('3C679366HH908993F', 'REFUNDED', 2)
    await send('3C679366HH908993F', 'PAYMENT.CAPTURE.COMPLETED')
    await becomes('3C679366HH908993F', 'Refunded')
  })

  it('are not made of what PayPal does not know', async () => {
    await send('FORGED', 'PAYMENT.CAPTURE.COMPLETED')
    await eventually('it is ignored', async () =>
      expect(await ignored()).to.deep.equal(['the other system knows nothing of it']),
    )
    expect(await paymentOf('FORGED')).to.equal(undefined)
    const tokens = paypal.asked.filter(({ path }) => path === '/v1/oauth2/token')
    expect(tokens, 'one token for all').to.have.length(1)
  })
})
