/** Contacts at Mailchimp and Brevo: who has unsubscribed there is never subscribed again by us. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { testService, type TestService } from '../support/service.ts'
import { AT_ONCE } from './dropped-answers.ts'
import { LOOPBACK, partner, type Asked, type Partner, type Reply } from './support/partner.ts'

const COMPLIANCE = 'compliance@example.com'
const idOf = (email: string) => createHash('md5').update(email.toLowerCase()).digest('hex')

/** An audience as Mailchimp keeps it. */
function mailchimp(members: Map<string, Fields>) {
  return ({ method, path, body, headers }: Asked): Reply => {
    const [, user, key] =
      /^(.+):(.+)$/.exec(Buffer.from(headers.authorization!.slice(6), 'base64').toString()) ?? []
    const [, id] = /^\/3\.0\/lists\/L1\/members\/([0-9a-f]{32})$/.exec(path) ?? []
    if (user === undefined || key !== 'key' || id === undefined) return { status: 401 }
    const before = members.get(id)
    if (method === 'DELETE') return { status: members.delete(id) ? 204 : 404 }
    const { status_if_new: ifNew, ...sent } = JSON.parse(body) as Fields
    if (method === 'PATCH' && !before) return { status: 404 }
    if (sent['email_address'] === COMPLIANCE)
      return { status: 400, json: { title: 'Member In Compliance State', detail: 'cannot be subscribed' } }
    members.set(id, { status: ifNew ?? null, ...before, ...sent })
    return { json: { id, ...members.get(id) } }
  }
}

describe('contacts at Mailchimp', () => {
  const members = new Map<string, Fields>()
  let service: TestService
  let other: Partner
  let integration: string
  before(async () => {
    other = await partner(mailchimp(members))
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE } })
    const made = await service.post('integrations', {
      Definition: 'mailchimp',
      BaseUrl: other.url,
      Settings: { list: 'L1' },
      Credentials: { user: 'any', apiKey: 'key', webhookSecret: 'secret' },
    })
    integration = made.data.Id
    expect((await service.post(`integrations/${integration}/start`)).status).to.equal(200)
  })
  after(async () => {
    await service.discard()
    await other.stop()
  })

  const memberIs = (email: string, expected: Fields) =>
    eventually(`${email} is there`, async () => expect(members.get(idOf(email))).to.deep.include(expected))
  const sent = async (state: string) =>
    (await service.get(`integrations/${integration}/sent?state=${state}&pageSize=100`)).list
  const settled = (state: string, count: number) =>
    eventually(`${count} are ${state}`, async () => expect(await sent(state)).to.have.length(count))

  it('are subscribed where they have agreed, and only then', async () => {
    await service.create('campaigncontact', {
      Email: 'Ann@example.com',
      Name: 'Ann',
      ConsentStatus: 'Subscribed',
    })
    await service.create('campaigncontact', { Email: 'bob@example.com', ConsentStatus: 'Pending' })
    await memberIs('ann@example.com', { status: 'subscribed', merge_fields: { FNAME: 'Ann' } })
    await settled('skipped', 1)
    expect([...members.keys()]).to.deep.equal([idOf('ann@example.com')])
  })

  it('are unsubscribed from there, and a later change does not subscribe them again', async () => {
    const contact = await service.create('campaigncontact', {
      Email: 'eve@example.com',
      ConsentStatus: 'Subscribed',
    })
    await memberIs('eve@example.com', { status: 'subscribed' })
    await settled('sent', 2)
    members.set(idOf('eve@example.com'), { ...members.get(idOf('eve@example.com')), status: 'unsubscribed' })
    const address = `in/${integration}/events?secret=secret`
    expect((await service.send('GET', address, { headers: { Authorization: '' } })).status).to.equal(200)
    // Before they notify us.
    await service.patch(`campaigncontact/${contact.Id}`, { Name: 'Eve' })
    await memberIs('eve@example.com', { status: 'unsubscribed', merge_fields: { FNAME: 'Eve' } })
    const form = { type: 'unsubscribe', fired_at: '2030-01-01 12:00:00', 'data[email]': 'eve@example.com' }
    const headers = { Authorization: '', 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(form).toString()
    expect((await service.send('POST', `${address}x`, { body, headers })).status).to.equal(401)
    expect((await service.send('POST', address, { body, headers })).status).to.equal(200)
    await eventually('it is marked', async () => {
      const { data } = await service.get(`campaigncontact/${contact.Id}`)
      expect(data).to.include({ ConsentStatus: 'Unsubscribed', UnsubscribedAt: '2030-01-01T12:00:00Z' })
    })
    const before = other.asked.length
    await service.patch(`campaigncontact/${contact.Id}`, { Name: 'Eva' })
    await settled('skipped', 2)
    expect(other.asked).to.have.length(before)
  })

  it('are deleted there where they are deleted here; what they refuse for good is shown and left', async () => {
    const contact = await service.create('campaigncontact', {
      Email: 'old@example.com',
      ConsentStatus: 'Subscribed',
    })
    await memberIs('old@example.com', { status: 'subscribed' })
    await service.delete(`campaigncontact/${contact.Id}`)
    await eventually('it is gone', async () => expect(members.has(idOf('old@example.com'))).to.equal(false))
    await service.create('campaigncontact', { Email: COMPLIANCE, ConsentStatus: 'Subscribed' })
    await settled('refused', 1)
    const [refused] = await sent('refused')
    expect(refused).to.include({ Status: 400, Attempts: 1 })
    expect(refused!['Reason']).to.include('Member In Compliance State')
  })
})

describe('contacts at Brevo', () => {
  it('are made or changed by one request, and unsubscribed from there', async () => {
    const contacts = new Map<string, Fields>()
    const other = await partner(({ method, headers, body }) => {
      if (headers['api-key'] !== 'key' || method !== 'POST') return { status: 401 }
      const sent = JSON.parse(body) as Fields
      contacts.set(sent['email'] as string, sent)
      return { status: 201, json: { id: contacts.size } }
    })
    const service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE } })
    try {
      const made = await service.post('integrations', {
        Definition: 'brevo',
        BaseUrl: other.url,
        Settings: { list: '4' },
        Credentials: { apiKey: 'key', webhookToken: 'hook' },
      })
      await service.post(`integrations/${made.data.Id}/start`)
      const Email = 'ann@example.com'
      const contact = await service.create('campaigncontact', {
        Email,
        Name: 'Ann',
        ConsentStatus: 'Subscribed',
      })
      await eventually('it is there', async () =>
        expect(contacts.get(Email)).to.deep.include({
          attributes: { FIRSTNAME: 'Ann' },
          listIds: [4],
          updateEnabled: true,
        }),
      )
      const body = { event: 'unsubscribe', email: Email, ts_event: 1_893_456_000 }
      const headers = { Authorization: 'Bearer hook' }
      expect((await service.send('POST', `in/${made.data.Id}/events`, { body, headers })).status).to.equal(
        200,
      )
      await eventually('it is marked', async () =>
        expect((await service.get(`campaigncontact/${contact.Id}`)).data).to.include({
          ConsentStatus: 'Unsubscribed',
        }),
      )
    } finally {
      await service.discard()
      await other.stop()
    }
  })
})
