/** Webhooks end to end: registered over HTTP, delivered signed, logged, sent again. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { testService, type TestService } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { eventually } from './eventually.ts'
import { contractBody } from './leasing.ts'

const SECRET = 'a-secret-of-some-length-0123456789'
const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }

describe('webhooks', () => {
  let service: TestService
  let receiver: Receiver

  before(async () => {
    service = await testService({ settings })
  })
  after(() => service.discard())
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    for (const { Id } of (await service.list('webhooks')).list) await service.delete(`webhooks/${Id}`)
    await receiver.stop()
  })

  const register = async (body: Fields = {}) => {
    const answer = await service.post('webhooks', {
      Url: `${receiver.url}/hook`,
      Events: ['contract.*'],
      Secret: SECRET,
      ...body,
    })
    expect(answer.status, answer.text).to.equal(201)
    return answer.data
  }

  it('send each event of a subscription once, signed, with the record as it was then', async () => {
    const webhook = await register()
    const tenant = await service.create('tenant', { Name: 'Ada' })
    const created = await service.post('contract', { ...contractBody(), Tenant: tenant.Id })
    expect(created.status).to.equal(201)
    await service.patch(`contract/${created.data.Id}`, { Status: 'Active' })
    await service.delete(`contract/${created.data.Id}`)
    await service.post(`contract/${created.data.Id}/restore`)
    await receiver.got(4)

    const bodies = receiver.received.map(({ json }) => json)
    expect(bodies.map(({ Event }) => Event)).to.deep.equal([
      'contract.created',
      'contract.updated',
      'contract.deleted',
      'contract.restored',
    ])
    expect(bodies.map(({ Data }) => Data['Version'])).to.deep.equal([1, 2, 3, 4])
    expect(bodies.map(({ Data }) => Data['Status'])).to.deep.equal(['Draft', 'Active', 'Active', 'Active'])
    expect(bodies[0]!.Data).to.deep.equal({ ...created.data, Version: 1 })
    expect(bodies[0]!.Timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    for (const { text, headers, method } of receiver.received) {
      expect(method).to.equal('POST')
      const digest = createHmac('sha256', SECRET).update(text).digest('hex')
      expect(headers['x-hub-signature-256']).to.equal(`sha256=${digest}`)
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    }
    const log = await service.list(`webhooks/${webhook.Id}/deliveries`)
    await eventually('the log shows them', async () =>
      expect(
        (await service.list(`webhooks/${webhook.Id}/deliveries`)).list.map(({ State }) => State),
      ).to.deep.equal(Array(4).fill('Delivered')),
    )
    expect(log.pagination.TotalRecords).to.equal(4)
  })
})
