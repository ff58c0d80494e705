/** Payments that Stripe notifies of, over HTTP, signed by Stripe's own SDK. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import Stripe from 'stripe'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { testService, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

const SECRET = 'whsec_test_secret'

describe('an integration that receives', () => {
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let integration: Data
  before(async () => {
    service = await testService({ clock })
    const made = await service.post('integrations', {
      Definition: 'stripe',
      Credentials: { webhookSecret: SECRET },
    })
    integration = made.data
    expect(made.status).to.equal(201)
    expect(integration).to.deep.include({ Name: 'Stripe', State: 'off', RunAs: 'integration' })
    expect(made.text).not.to.include(SECRET)
  })
  after(() => service.discard())

  const stripe = new Stripe('sk_test_x')
  const seconds = () => Math.floor(clock.now() / 1_000)
  let count = 0
  const eventOf = (type: string, object: Fields, at = seconds()): Fields => ({
    id: `evt_${++count}`,
    object: 'event',
    type,
    created: at,
    data: { object },
  })
  const intent = (id: string, more: Fields = {}): Fields => ({
    id,
    object: 'payment_intent',
    amount: 120_050,
    amount_received: 120_050,
    currency: 'eur',
    payment_method_types: ['card'],
    description: null,
    metadata: {},
    ...more,
  })
  const send = (event: Fields | string, secret = SECRET, path = `in/${integration.Id}/events`) => {
    const payload = typeof event === 'string' ? event : JSON.stringify(event)
    const header = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds() })
    const headers = { 'Stripe-Signature': header, 'Content-Type': 'application/json', Authorization: '' }
    return service.send('POST', path, { body: payload, headers })
  }
  const payments = async (id: string) =>
    (await service.list('payment', { filter: `GatewayReference eq '${id}'` })).list
  const inbox = async () => (await service.get(`integrations/${integration.Id}/inbox?pageSize=100`)).list
  const settled = async (source: string, state: string) =>
    eventually(`${source} ${state}`, async () => {
      const row = (await inbox()).find(({ Source }) => Source === source)
      expect(row).to.include({ State: state })
      return row!
    })

  it('takes nothing while it is off, and cannot start without what it needs', async () => {
    expect((await send(eventOf('payment_intent.succeeded', intent('pi_off')))).status).to.equal(404)
    const bare = (await service.post('integrations', { Definition: 'stripe', Name: 'Bare' })).data
    const refused = await service.post(`integrations/${bare.Id}/start`)
    expect(refused.faults).to.deep.equal(['Credentials.webhookSecret: is required before it is started'])
    const started = await service.post(`integrations/${integration.Id}/start`)
    expect(started.data).to.include({ State: 'running' })
  })

  it('makes a payment of a notification, by the name of the integration', async () => {
    const event = eventOf('payment_intent.succeeded', intent('pi_1'))
    const answer = await send(event)
    expect([answer.status, answer.data]).to.deep.equal([200, {}])
    await settled(event['id'] as string, 'applied')
    const [payment] = await payments('pi_1')
    expect(payment).to.deep.include({
      Status: 'Received',
      Amount: { Amount: 1200.5, Currency: 'EUR' },
      Method: 'Card',
      ReceivedAt: '2030-01-01T12:00:00Z',
    })
    const [created] = (await service.get(`payment/${payment!.Id}/history`)).list
    expect(created!['By']).to.deep.equal({ Id: integration.Id, Name: 'Stripe (integration)' })
    const [stored] = service.eventsOf(payment!.Id)
    expect(stored!.metadata).to.include({ source: `integration:${integration.Id}`, actor: integration.Id })
  })

  it('says that there is no such contract, and makes the payment without it', async () => {
    const lost = intent('pi_lost', { metadata: { contract: 'CON-9999-0001' } })
    const event = eventOf('payment_intent.succeeded', lost)
    const Reason = 'there is not one contract whose ContractNumber is "CON-9999-0001": Contract stays empty'
    const preview = await service.post(`integrations/${integration.Id}/preview`, {
      Entry: 'events',
      Payload: event,
    })
    expect(preview.list[0]).to.deep.include({ Did: 'created', Missing: ['Contract'], Reason })
    await send(event)
    expect(await settled(event['id'] as string, 'applied')).to.include({ Reason })
    expect((await payments('pi_lost'))[0]!['Contract']).to.equal(null)
  })

  it('leaves the contract as it is where another is named that there is not', async () => {
    const tenant = await service.create('tenant', { Name: 'Ann' })
    const contract = await service.create('contract', {
      Tenant: tenant.Id,
      MonthlyRent: { Amount: 1, Currency: 'EUR' },
      StartDate: '2031-01-01',
    })
    const named = { contract: contract['ContractNumber'] as string }
    const first = eventOf('payment_intent.processing', intent('pi_named', { metadata: named }))
    await send(first)
    expect(await settled(first['id'] as string, 'applied')).to.include({ Reason: null })
    await eventually('the tenant of the contract', async () =>
      expect((await payments('pi_named'))[0]?.['Tenant']).to.include({ Id: tenant.Id, Name: 'Ann' }),
    )
    const other = intent('pi_named', { metadata: { contract: 'CON-1' } })
    const second = eventOf('payment_intent.succeeded', other)
    await send(second)
    const { Reason } = await settled(second['id'] as string, 'applied')
    expect(Reason).to.equal(
      'there is not one contract whose ContractNumber is "CON-1": Contract stays as it is',
    )
    expect((await payments('pi_named'))[0]!['Contract']).to.include({ Id: contract.Id })
  })

  it('takes the same message again without doing anything twice', async () => {
    const event = eventOf('payment_intent.succeeded', intent('pi_2'))
    for (let times = 0; times < 3; times++) expect((await send(event)).status).to.equal(200)
    const row = await settled(event['id'] as string, 'applied')
    expect(row['Arrivals']).to.equal(3)
    expect(service.eventsOf((await payments('pi_2'))[0]!.Id)).to.have.length(2)
  })

  it('refuses what is not signed, signed by another, or changed', async () => {
    const event = eventOf('payment_intent.succeeded', intent('pi_forged'))
    const forged = await send(event, 'whsec_of_another')
    expect([forged.status, forged.error.Code]).to.deep.equal([401, 'UNAUTHORIZED'])
    const text = JSON.stringify(event)
    const header = stripe.webhooks.generateTestHeaderString({
      payload: text,
      secret: SECRET,
      timestamp: seconds(),
    })
    const headers = { 'Stripe-Signature': header, Authorization: '' }
    const changed = { body: text.replace('120050', '999999'), headers }
    expect((await service.send('POST', `in/${integration.Id}/events`, changed)).status).to.equal(401)
    expect((await service.send('POST', `in/${integration.Id}/events`, { body: text })).status).to.equal(401)
    const old = stripe.webhooks.generateTestHeaderString({
      payload: text,
      secret: SECRET,
      timestamp: seconds() - 301,
    })
    const late = { body: text, headers: { 'Stripe-Signature': old } }
    expect((await service.send('POST', `in/${integration.Id}/events`, late)).status).to.equal(401)
    expect(await payments('pi_forged')).to.deep.equal([])
    expect((await inbox()).map(({ Source }) => Source)).not.to.include(event['id'])
    expect((await send(event, SECRET, `in/integration-${'0'.repeat(26)}/events`)).status).to.equal(404)
    expect((await send(event, SECRET, `in/${integration.Id}/other`)).status).to.equal(404)
  })

  it('passes over what is older than what was applied, and says why', async () => {
    const at = seconds()
    const paid = eventOf('payment_intent.succeeded', intent('pi_3'), at)
    await send(paid)
    await settled(paid['id'] as string, 'applied')
    const late = eventOf('payment_intent.processing', intent('pi_3'), at - 60)
    expect((await send(late)).status).to.equal(200)
    const row = await settled(late['id'] as string, 'ignored')
    expect(row['Reason']).to.match(/older than what was applied/)
    expect((await payments('pi_3'))[0]).to.include({ Status: 'Received' })
  })

  it('keeps what comes too early until it can be applied', async () => {
    const at = seconds()
    const refund = eventOf('charge.refunded', { id: 'ch_4', payment_intent: 'pi_4', refunded: true }, at + 60)
    await send(refund)
    expect((await settled(refund['id'] as string, 'waiting'))['Reason']).to.equal(
      'there is no payment pi_4 yet',
    )
    await send(eventOf('payment_intent.processing', intent('pi_4'), at))
    await send(eventOf('payment_intent.succeeded', intent('pi_4'), at + 30))
    await settled(refund['id'] as string, 'applied')
    expect((await payments('pi_4'))[0]).to.include({ Status: 'Refunded' })
  })

  it('keeps what comes while it is paused, and applies it when it goes on', async () => {
    await service.post(`integrations/${integration.Id}/pause`)
    const event = eventOf('payment_intent.succeeded', intent('pi_5'))
    expect((await send(event)).status).to.equal(200)
    await settled(event['id'] as string, 'stored')
    expect(await payments('pi_5')).to.deep.equal([])
    await service.post(`integrations/${integration.Id}/start`)
    await settled(event['id'] as string, 'applied')
  })

  it('takes two secrets while one is rotated, and then the new one alone', async () => {
    const next = 'whsec_next'
    const rotated = await service.post(`integrations/${integration.Id}/rotate-secret`, {
      Credential: 'webhookSecret',
      Value: next,
    })
    expect(rotated.text).not.to.include(next)
    expect(rotated.data['CredentialsSet']).to.deep.equal([
      { Name: 'webhookSecret', SetAt: '2030-01-01T12:00:00Z', PreviousUntil: '2030-01-02T12:00:00Z' },
    ])
    for (const secret of [SECRET, next])
      expect((await send(eventOf('payment_intent.canceled', intent('pi_6')), secret)).status).to.equal(200)
    clock.pass(24 * 3_600_000)
    expect((await send(eventOf('payment_intent.canceled', intent('pi_6')))).status).to.equal(401)
    await service.patch(`integrations/${integration.Id}`, { Credentials: { webhookSecret: SECRET } })
    expect((await send(eventOf('payment_intent.canceled', intent('pi_6')), next)).status).to.equal(401)
  })

  it('shows what a payload would do, and does nothing', async () => {
    const preview = (Payload: Fields) =>
      service.post(`integrations/${integration.Id}/preview`, { Entry: 'events', Payload })
    const [made] = (await preview(eventOf('payment_intent.succeeded', intent('pi_7')))).list
    expect(made).to.deep.include({ Object: 'payment', Did: 'created', Record: null })
    expect(made!['Fields']).to.deep.include({ GatewayReference: 'pi_7', Status: 'Received' })
    expect(await payments('pi_7')).to.deep.equal([])
    const wrong = eventOf('payment_intent.succeeded', intent('pi_7', { currency: 'xxx' }))
    expect((await preview(wrong)).list[0]).to.include({ Did: 'rejected', Reason: '"xxx" is not a currency' })
  })

  it('says why a payload would do nothing: which rules there are, or what is missing', async () => {
    const preview = (Payload: Fields) =>
      service.post(`integrations/${integration.Id}/preview`, { Entry: 'events', Payload })
    const nothing = { Object: '', Record: null }
    const untaken =
      'no rule of the integration takes it: type is "customer.created", data.object.refunded is nothing; ' +
      'there are rules for type "payment_intent.processing"; type "payment_intent.succeeded"; ' +
      'type "payment_intent.payment_failed"; type "charge.refunded" and data.object.refunded true'
    const other = eventOf('customer.created', {})
    expect((await preview(other)).list).to.deep.equal([{ ...nothing, Did: 'ignored', Reason: untaken }])
    await send(other)
    expect(await settled(other['id'] as string, 'ignored')).to.include({
      Reason: 'no rule of the integration takes it',
    })
    expect((await preview({})).list).to.deep.equal([
      { ...nothing, Did: 'rejected', Reason: 'the Id of the message is missing: there is nothing at id' },
    ])
    const unnamed = eventOf('payment_intent.succeeded', { amount_received: 1, currency: 'eur' })
    expect((await preview(unnamed)).list).to.deep.equal([
      {
        ...nothing,
        Did: 'rejected',
        Reason: 'the GatewayReference is missing: there is nothing at data.object.id',
      },
    ])
  })

  it('rejects what cannot be applied, and applies it again when a person says so', async () => {
    const wrong = eventOf('payment_intent.succeeded', intent('pi_8', { currency: 'xxx' }))
    await send(wrong)
    const row = await settled(wrong['id'] as string, 'rejected')
    const path = `integrations/${integration.Id}/inbox/${row.Id}`
    expect((await service.get(path)).data['Payload']).to.equal(JSON.stringify(wrong))
    const again = await service.post(`${path}/retry`)
    expect([again.status, again.data['State']]).to.deep.equal([202, 'stored'])
    await settled(wrong['id'] as string, 'rejected')
    expect((await service.post(`${path}/quarantine`)).data['State']).to.equal('quarantined')
    const replay = `integrations/${integration.Id}/replay`
    expect((await service.post(replay, { From: 'noon' })).faults).to.deep.equal([
      "From: must be 'beginning', a day (2026-03-31) or a timestamp (2026-03-31T12:00:00Z)",
    ])
    const before = await service.post(replay, { From: 'beginning', To: '2029-12-31' })
    expect(before.data['Messages']).to.equal(0)
    const replayed = await service.post(replay, { From: '2030-01-01' })
    expect(replayed.data['Messages']).to.be.greaterThan(5)
    await eventually('applied', async () =>
      expect((await inbox()).some(({ State }) => State === 'stored')).to.equal(false),
    )
    expect(service.eventsOf((await payments('pi_2'))[0]!.Id)).to.have.length(2)
  })

  it('has kept everything sealed', async () => {
    expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
    await service.stop()
    for (const name of ['inbox.db', 'inbox.db-wal', 'events.db', 'events.db-wal']) {
      const path = join(service.dataDir, name)
      const bytes = existsSync(path) ? readFileSync(path, 'latin1') : ''
      for (const text of ['payment_intent.succeeded', 'whsec_']) expect(bytes, name).not.to.include(text)
    }
  })
})
