/** Integrations in the console: set up, started, what came in and why it was refused, tried again, set aside, tried out. */
import { expect } from 'chai'
import Stripe from 'stripe'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console } from './browser.ts'

const SECRET = 'whsec_of_a_test'

consoleSuite('the console: integrations', function () {
  this.timeout(60_000)
  let console: Console
  before(async () => {
    console = await openConsole()
    await makePerson(console.service, 'Vic', ['viewer'])
  })
  after(() => console?.discard())

  const stripe = new Stripe('sk_test_x')
  const payload = (id: string, type: string, more: object) =>
    JSON.stringify({
      id,
      object: 'event',
      type,
      created: Math.floor(Date.now() / 1_000),
      data: {
        object: {
          id: `pi_${id}`,
          object: 'payment_intent',
          amount: 120_050,
          amount_received: 120_050,
          currency: 'eur',
          payment_method_types: ['card'],
          metadata: {},
          ...more,
        },
      },
    })
  const send = async (integration: string, body: string) => {
    const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET })
    const headers = { 'Stripe-Signature': header, Authorization: '' }
    const { status, text } = await console.service.send('POST', `in/${integration}/events`, { body, headers })
    expect(status, text).to.equal(200)
  }
  const key = async () => (await console.service.get('integrations')).list[0]!.Id

  it('is set up with its credentials, and started', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/')
    await page.getByRole('link', { name: 'Integrations' }).click()
    await page.getByText('No other system is connected yet.').waitFor()
    await page.getByRole('button', { name: 'Set up an integration' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('System').selectOption('stripe')
    await inspect(visit, 'integration-set-up')
    await dialog.getByRole('button', { name: 'Set up an integration' }).click()
    await page.getByText('It is off: nothing is taken.').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('alert').getByText('is required before it is started').waitFor()
    await page.getByRole('tab', { name: 'Set-up' }).click()
    await page.getByText('missing: needed to start').waitFor()
    await page.getByRole('button', { name: 'Set: webhookSecret' }).click()
    await dialog.getByLabel('Value').fill(SECRET)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Rotate: webhookSecret' }).waitFor()
    await page.getByText(`/api/v1/in/${await key()}/events`).waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('running').waitFor()
    await inspect(visit, 'integration-credentials')
    expect(await page.content()).not.to.include(SECRET)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  for (const size of ['wide', 'narrow'] as const)
    it(`shows what came in, and applies again what was refused (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      const integration = await key()
      const number = `OF-${size}`
      await send(integration, payload(`good_${size}`, 'payment_intent.succeeded', {}))
      await send(
        integration,
        payload(`bad_${size}`, 'payment_intent.succeeded', { currency: '<b>none</b>', description: number }),
      )
      await send(integration, payload(`other_${size}`, 'customer.created', {}))
      await visit.open(`/integrations/${integration}`)
      const good = page.getByRole('row', { name: new RegExp(`good_${size}`) })
      const bad = page.getByRole('row', { name: new RegExp(`bad_${size}`) })
      await good.getByText('applied', { exact: true }).waitFor()
      await bad.getByText('rejected', { exact: true }).waitFor()
      await page
        .getByRole('row', { name: new RegExp(`other_${size}`) })
        .getByText('no rule')
        .waitFor()
      await page.getByRole('alert').getByRole('button', { name: 'Apply all 1 again' }).waitFor()
      await inspect(visit, `inbox-${size}`)
      await page.getByRole('button', { name: 'Apply all 1 again' }).click()
      await page.getByText('It is applied again.').waitFor()
      await bad.getByText('rejected', { exact: true }).waitFor()
      await bad.getByRole('link').click()
      const dialog = page.getByRole('dialog', { name: 'Message' })
      await dialog.getByRole('region', { name: 'Payload' }).getByText('"<b>none</b>"').waitFor()
      await inspect(visit, `inbox-message-${size}`)
      await dialog.getByRole('button', { name: 'Set aside' }).click()
      await dialog.getByText('set aside', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('State').selectOption('quarantined')
      await bad.waitFor()
      await good.waitFor({ state: 'detached' })
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })

  it('says what a payload would do, pauses, and applies a time again', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const integration = await key()
    await visit.open(`/integrations/${integration}?tab=preview`)
    await page.getByRole('textbox', { name: 'Payload' }).fill('{')
    await page.getByText('This is not JSON.').waitFor()
    await page
      .getByRole('textbox', { name: 'Payload' })
      .fill(payload('tried', 'payment_intent.succeeded', {}))
    await page.getByRole('button', { name: 'What would it do?' }).click()
    await page.getByRole('row', { name: /payment created.*pi_tried/s }).waitFor()
    await inspect(visit, 'integration-preview')
    const { list } = await console.service.list('payment', { filter: "GatewayReference eq 'pi_tried'" })
    expect(list).to.deep.equal([])
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Start' }).waitFor()
    await page.getByRole('tab', { name: 'Inbox' }).click()
    await page.getByRole('button', { name: 'Replay a period …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('From').fill('2020-01-01T00:00:00')
    await dialog.getByLabel('set aside').check()
    await inspect(visit, 'inbox-replay')
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Messages that are applied again: 2').waitFor()
    await visit.open('/integrations')
    await page.getByRole('row', { name: /Stripe paused Stripe .* 6 in, 0 out/ }).waitFor()
    await inspect(visit, 'integrations')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('says where a directory finds its server of SCIM, and what that has changed', async () => {
    const { service } = console
    const Credentials = { token: SECRET }
    const made = await service.post('integrations', { Definition: 'scim', Name: 'Okta', Credentials })
    const { Id } = made.data
    await service.post(`integrations/${Id}/start`)
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open(`/integrations/${Id}`)
    const address = await page.getByText(`/api/v1/scim/v2/${Id}`).textContent()
    expect(await page.getByRole('tab').allTextContents()).to.deep.equal(['Set-up'])
    const user = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'ann',
      displayName: 'Ann',
    }
    const headers = { Authorization: `Bearer ${SECRET}`, 'Content-Type': 'application/scim+json' }
    const sent = await fetch(`${address}/Users`, { method: 'POST', headers, body: JSON.stringify(user) })
    expect(sent.status, await sent.text()).to.equal(201)
    await inspect(visit, 'integration-scim')
    await page.getByRole('link', { name: 'What it has changed' }).click()
    await page.getByRole('row', { name: /employee\.created/ }).waitFor()
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('is not there for those who may not', async () => {
    const visit = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password })
    await visit.open('/')
    await visit.page.getByRole('link', { name: 'Contract' }).first().waitFor()
    expect(await visit.page.getByRole('link', { name: 'Integrations' }).count()).to.equal(0)
    await visit.close()
  })
})
