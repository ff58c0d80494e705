/** Nothing of one company comes into mails of another: not its records, its templates, its layouts, or what it suppresses. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { logIn, withCookie } from '../api/identity/identity-support.ts'
import { client, testService, type TestService } from '../support/service.ts'

const CANARY = 'canary-4f1c'
const Password = 'correct horse battery staple'

describe('the notifications of two companies', () => {
  let service: TestService
  let other: Record<string, string>
  before(async () => {
    service = await testService()
    const made = await service.post('identity/companies', {
      Name: 'Other',
      AdminEmail: 'bo@example.com',
      AdminPassword: Password,
    })
    other = {
      ...withCookie(await logIn(service, { Email: 'bo@example.com', Password, CompanyKey: made.data.Id })),
      Origin: service.url,
    }
  })
  after(() => service.discard())

  const idOf = (answer: { readonly data: object }, object: string) =>
    (answer.data as Readonly<Record<string, { readonly Id: string }>>)[object]!.Id
  const template = (body: string, more: object = {}) => ({
    template: { name: 'R', trigger: 'service-request-created', subject: 'S {{Subject}}', body, ...more },
  })

  it('are apart, in mails, previews, layouts and suppressions', async () => {
    const house = { layout: { name: 'House', body: `<p>${CANARY}</p>{{content}}` } }
    const layout = idOf(await service.post('notifications/layouts', house, other), 'layout')
    const theirs = template(`<p>${CANARY}</p>`, { layout: 'House' })
    const theirTemplate = idOf(await service.post('notifications/templates', theirs, other), 'template')
    const theirTenant = await service.post('tenant', { Name: CANARY, Email: 'canary@example.com' }, other)
    const about = await service.post(
      'servicerequest',
      { Subject: CANARY, Tenant: theirTenant.data.Id },
      other,
    )
    expect(about.status, about.text).to.equal(201)
    await service.post('notifications/suppressions', { Address: 'zoe@example.com' }, other)

    for (const named of ['House', layout]) {
      const refused = await service.post('notifications/templates', template('<p>x</p>', { layout: named }))
      expect(refused.status, named).to.equal(400)
    }
    const own = idOf(
      await service.post('notifications/templates', template('<p>{{Subject}}{{Tenant.Name}}</p>')),
      'template',
    )
    for (const [of, record] of [
      [own, about.data.Id],
      [theirTemplate, about.data.Id],
    ])
      for (const what of ['preview', 'test'])
        expect((await service.post(`notifications/templates/${of!}/${what}`, { record })).status).to.equal(
          404,
        )

    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    await service.create('servicerequest', { Subject: 'A tap', Tenant: tenant.Id })
    const foreign = await service.post('servicerequest', { Subject: 'x', Tenant: theirTenant.data.Id })
    expect(foreign.status).to.equal(400)
    const sent = async () => (await service.get("notifications/messages?filter=State eq 'sent'")).list
    for (let looks = 0; looks < 300 && (await sent()).length === 0; looks++) await delay(20)
    const [message, ...more] = await sent()
    expect([message?.['Recipient'], more]).to.deep.equal(['zoe@example.com', []])
    const folder = join(service.dataDir, 'mail')
    const file = readdirSync(folder).find((name) => name.includes(message!.Id))!
    expect(readFileSync(join(folder, file), 'utf8')).to.not.contain(CANARY)
    expect((await service.get('notifications/messages')).text).to.not.contain('canary')

    const place = (await service.get('notifications/bounces', other)).data['path'] as string
    const body = JSON.stringify({ event: 'hard_bounce', email: 'zoe@example.com', 'message-id': message!.Id })
    const headers = { 'Content-Type': 'application/json' }
    const reported = await client(() => service.notificationUrl, '').send('POST', place, { body, headers })
    expect(reported.data).to.deep.equal({ Messages: 0 })
    expect((await sent()).map(({ Id }) => Id)).to.deep.equal([message!.Id])
  })
})
