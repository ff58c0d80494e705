/** The TypeScript client: lines of bank accounts decided on, integrations set up, watched and repaired. */
import { expect } from 'chai'
import Stripe from 'stripe'
import { Daybook } from '../../clients/typescript/src/index.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'

const SECRET = 'whsec_of_a_test'
const RENT = { Amount: 950, Currency: 'EUR' }

describe('bank and integrations of the TypeScript client', () => {
  let service: TestService
  let daybook: Daybook
  before(async () => {
    service = await testService()
    daybook = new Daybook({ url: service.url, token: TOKEN })
  })
  after(() => service.discard())

  it('matches a line with what is proposed, takes it back, and leaves it alone', async () => {
    const account = await service.create('bankaccount', { Name: 'Rent' })
    const tenant = await service.create('tenant', { Name: 'Ann Lee' })
    await service.create('invoice', { Tenant: tenant.Id, Status: 'Issued', TotalAmount: RENT })
    const line = await service.create('banktransaction', {
      TransactionId: 'L-1',
      BankAccount: account.Id,
      BookingDate: '2029-04-01',
      Amount: RENT,
      CounterpartyName: 'Ann Lee',
    })
    expect(await daybook.bank.rematch(account.Id)).to.include({ Matched: 0 })
    const { Proposals } = await daybook.bank.matches(line.Id)
    expect(Proposals.map(({ Rule }) => Rule)).to.deep.equal(['name'])
    const matched = await daybook.bank.match(line.Id, Proposals[0]!.Payments)
    expect([matched.Status, matched.MatchedAmount]).to.deep.equal(['Matched', RENT])
    expect((await daybook.bank.unmatch(line.Id)).Status).to.equal('Unmatched')
    expect((await daybook.bank.ignore(line.Id, { reason: 'paid in cash' })).Status).to.equal('Ignored')
    const history = await service.get(`banktransaction/${line.Id}/history`)
    expect(history.list.at(-1)).to.include({ Reason: 'paid in cash' })
  })

  it('sets an integration up, tries a payload, and repairs what was refused', async () => {
    const files = await daybook.integrations.definitions().toArray({ limit: 100 })
    expect(files.map(({ Definition }) => Definition)).to.include('stripe')
    expect(files.find(({ Definition }) => Definition === 'scim')?.Scim?.Object).to.equal('employee')
    const { Id: key } = await daybook.integrations.create({
      Definition: 'stripe',
      Credentials: { webhookSecret: 'to be replaced' },
    })
    await daybook.integrations.rotateSecret(key, { Credential: 'webhookSecret', Value: SECRET })
    expect((await daybook.integrations.start(key))['State']).to.equal('running')
    const payload = (currency: string) => ({
      id: `evt_${currency}`,
      type: 'payment_intent.succeeded',
      created: Math.floor(Date.now() / 1_000),
      data: { object: { id: `pi_${currency}`, amount_received: 100, currency, metadata: {} } },
    })
    const [tried] = await daybook.integrations.preview(key, { Payload: payload('eur') })
    expect(tried).to.include({ Object: 'payment', Did: 'created' })
    const body = JSON.stringify(payload('none'))
    const signed = new Stripe('sk_test_x').webhooks.generateTestHeaderString({
      payload: body,
      secret: SECRET,
    })
    const headers = { 'Stripe-Signature': signed, Authorization: '' }
    expect((await service.send('POST', `in/${key}/events`, { body, headers })).status).to.equal(200)
    const refused = await eventually('the message is refused', async () => {
      const [message] = await daybook.integrations.inbox(key, { state: 'rejected' }).toArray({ limit: 10 })
      expect(message?.Reason).to.include('is not a currency')
      return message!
    })
    expect((await daybook.integrations.message(key, refused.Id)).Payload).to.equal(body)
    expect((await daybook.integrations.quarantine(key, refused.Id)).State).to.equal('quarantined')
    const span = { From: '2020-01-01T00:00:00Z', States: ['quarantined'] as const }
    expect(await daybook.integrations.replay(key, span)).to.deep.equal({ Messages: 1 })
    expect((await daybook.integrations.pause(key))['State']).to.equal('paused')
    expect((await daybook.integrations.retry(key, refused.Id)).State).to.equal('stored')
    expect((await daybook.integrations.stop(key))['State']).to.equal('off')
  })
})
