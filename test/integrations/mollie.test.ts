/** Payments at Mollie, whose messages only name one. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { testService, type Data, type TestService } from '../support/service.ts'
import { LOOPBACK, partner, type Partner } from './support/partner.ts'

describe('a message that only names what has changed', () => {
  let service: TestService
  let mollie: Partner
  let integration: Data
  const payments = new Map<string, Fields>()
  /** Refused or dropped so often before it is answered. */
  const troubles: { status?: number; headers?: Record<string, string>; isDropped?: boolean }[] = []
  before(async () => {
    mollie = await partner(({ path, headers }) => {
      if (headers.authorization !== 'Bearer test_key') return { status: 401 }
      const trouble = troubles.shift()
      if (trouble) return trouble
      const found = payments.get(path.split('/').at(-1)!)
      return found ? { json: found } : { status: 404, json: { status: 404 } }
    })
    service = await testService({ settings: LOOPBACK })
    const made = await service.post('integrations', {
      Definition: 'mollie',
      BaseUrl: mollie.url,
      Credentials: { apiKey: 'test_key' },
    })
    integration = (await service.post(`integrations/${made.data.Id}/start`)).data
  })
  after(async () => {
    await service.discard()
    await mollie.stop()
  })

  const send = (id: string) =>
    service.send('POST', `in/${integration.Id}/events`, {
      body: `id=${encodeURIComponent(id)}`,
      headers: { Authorization: '', 'Content-Type': 'application/x-www-form-urlencoded' },
    })
  const keep = (id: string, status: string, more: Fields = {}) =>
    payments.set(id, {
      id,
      status,
      amount: { value: '120.50', currency: 'EUR' },
      description: 'Rent',
      metadata: null,
      ...more,
    })
  const rows = async () => (await service.get(`integrations/${integration.Id}/inbox?pageSize=100`)).list
  const decided = (count: number) =>
    eventually(`${count} rows are decided on`, async () => {
      const all = await rows()
      expect(all.filter(({ State }) => State !== 'stored')).to.have.length(count)
      return all
    })
  const paymentOf = async (id: string) =>
    (await service.list('payment', { filter: `GatewayReference eq '${id}'` })).list[0]

  it('is fetched by the credential, each time as it is then', async () => {
    keep('tr_1', 'open')
    expect((await send('tr_1')).status).to.equal(200)
    await decided(1)
    expect(await paymentOf('tr_1')).to.deep.include({ Status: 'Pending', Reference: 'Rent' })
    keep('tr_1', 'paid', { paidAt: '2030-01-01T12:00:00+00:00' })
    await send('tr_1')
    await decided(2)
    expect(await paymentOf('tr_1')).to.deep.include({
      Status: 'Received',
      Amount: { Amount: 120.5, Currency: 'EUR' },
      ReceivedAt: '2030-01-01T12:00:00Z',
    })
  })

  it('does nothing where it was invented, and leads to no other address', async () => {
    for (const id of ['tr_forged', '../../v2/customers', '..', ''])
      expect((await send(id)).status).to.equal(200)
    const all = await decided(6)
    const states = all.slice(0, 4).map(({ State }) => State)
    expect(states.sort()).to.deep.equal(['ignored', 'ignored', 'rejected', 'rejected'])
    expect(mollie.asked.every(({ path }) => /^\/v2\/payments\/[^/]+$/.test(path))).to.equal(true)
    expect((await service.list('payment')).list).to.have.length(1)
  })

  it('is set up with no address inside, and its key goes nowhere else', async () => {
    const inside = await service.post('integrations', {
      Definition: 'mollie',
      BaseUrl: 'https://169.254.169.254',
    })
    expect(inside.faults).to.deep.equal(['BaseUrl: points to an address that deliveries may not reach'])
    const elsewhere = { BaseUrl: 'https://example.com' }
    const refused = await service.patch(`integrations/${integration.Id}`, elsewhere)
    expect(refused.faults).to.deep.equal(['BaseUrl: leads elsewhere: give apiKey again, in the same request'])
    const Credentials = { apiKey: 'test_key' }
    for (const BaseUrl of [elsewhere.BaseUrl, mollie.url])
      expect(
        (await service.patch(`integrations/${integration.Id}`, { BaseUrl, Credentials })).status,
      ).to.equal(200)
  })

  it('waits while the other system asks for patience or does not answer', async () => {
    keep('tr_2', 'paid', { paidAt: '2030-01-01T12:00:00+00:00' })
    troubles.push({ status: 429, headers: { 'Retry-After': '1' } }, { isDropped: true })
    await send('tr_2')
    await eventually('it is put off', async () => {
      const [row] = await rows()
      expect(row).to.deep.include({ State: 'stored', Reason: 'the other system answers 429', Attempts: 0 })
    })
  })
})
