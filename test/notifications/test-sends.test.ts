/** Tests of templates: a mail to the caller's own address, marked, under the caller's rights, and nothing that is kept. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { client, testService, TOKEN, type Client, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'
import { APP_ORIGIN, logIn, makeToken, withCookie } from '../api/identity/identity-support.ts'

const PASSWORD = 'a long password'

describe('a test of a template', () => {
  const clock = manualClock()
  let service: TestService
  let template: string
  let record: string
  before(async () => {
    service = await testService({
      clock,
      settings: {
        APP_ORIGIN,
        MAIL_ALLOW: ['ann', 'bob', 'cleo', 'left'].map((one) => `${one}@example.com`).join(),
      },
    })
    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    record = (await service.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })).Id
    const uploaded = await service.post('notifications/templates', {
      template: {
        name: 'Request',
        trigger: 'a-trigger-of-tests',
        subject: 'About {{Subject}}',
        body: '<p>Dear {{Tenant.Name}}</p>',
      },
    })
    template = (uploaded.data['template'] as { Id: string }).Id
  })
  after(() => service.discard())

  /** Somebody with these roles, as a page asks. */
  const user = async (name: string, Roles = ['notification_manager', 'viewer']) => {
    const Email = `${name}@example.com`
    await service.post('identity/users', { Email, Name: name, Password: PASSWORD, Roles })
    return withCookie(await logIn(service, { Email, Password: PASSWORD }))
  }
  const asked = (headers: Readonly<Record<string, string>>, of = record) =>
    service.send('POST', `notifications/templates/${template}/test`, { body: { record: of }, headers })
  const mails = () => {
    const folder = join(service.dataDir, 'mail')
    return existsSync(folder)
      ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
      : []
  }

  it('goes to the one who asks, is marked, and leaves no message and nothing in the history', async () => {
    const history = (await service.get(`servicerequest/${record}/history`)).text
    const answer = await asked(await user('ann'))
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.data).to.have.all.keys('messageId', 'missing')
    const mail = mails().find((one) => one.includes(`Message-ID: ${answer.data['messageId'] as string}`))!
    expect(mail)
      .to.match(/^To: ann@example\.com\r?$/m)
      .and.match(/^Subject: \[test\] About A tap drips\r?$/m)
    expect(mails()).to.have.length(1)
    expect((await service.get('notifications/messages')).list).to.deep.equal([])
    expect((await service.get(`servicerequest/${record}/history`)).text).to.equal(history)
  })

  it('is sent once for an Idempotency-Key', async () => {
    const headers = { ...(await user('bob')), 'Idempotency-Key': 'once' }
    const before = mails().length
    const [first, again] = [await asked(headers), await asked(headers)]
    expect(again.text).to.equal(first.text)
    expect(mails()).to.have.length(before + 1)
  })

  it('takes no other address, no record that is not there, and no caller without rights', async () => {
    const before = mails().length
    const body = { record, to: 'zoe@example.com' }
    const path = `/templates/${template}/test`
    const api: Client = client(() => service.notificationUrl, TOKEN)
    expect((await api.post(path, body)).status).to.equal(400)
    expect((await api.post(path, { record: `${record.slice(0, -3)}zzz` })).status).to.equal(404)
    expect((await api.post('/templates/none/test', { record })).status).to.equal(404)
    const viewer = await asked(await user('dan', ['viewer']))
    expect(viewer.status).to.equal(403)
    expect(viewer.text).to.contain('notify template')
    const unseeing = await asked(await user('eve', ['notification_manager']))
    expect(unseeing.status).to.equal(403)
    expect(unseeing.text).to.contain('read servicerequest')
    expect(mails()).to.have.length(before)
  })

  it('is refused where there is no address, or it is not written to', async () => {
    const before = mails().length
    const { value: token } = await makeToken(service, ['notification_manager', 'viewer'])
    const ownerless = await client(() => service.notificationUrl, token).post(`/templates/${template}/test`, {
      record,
    })
    expect(ownerless.status).to.equal(409)
    expect(ownerless.text).to.contain('belongs to no user')
    const notAllowed = await asked(await user('fay'))
    expect(notAllowed.status).to.equal(409)
    expect(notAllowed.text).to.contain('MAIL_ALLOW')
    await service.post('notifications/suppressions', { Address: 'left@example.com', Reason: 'has left' })
    const suppressed = await asked(await user('left'))
    expect(suppressed.status).to.equal(409)
    expect(suppressed.text).to.contain('has left')
    expect(mails()).to.have.length(before)
  })

  it('can be had six times a minute', async () => {
    const headers = await user('cleo')
    for (let times = 0; times < 6; times++) expect((await asked(headers)).status).to.equal(200)
    const refused = await asked(headers)
    expect(refused.status).to.equal(429)
    expect(refused.headers.get('Retry-After')).to.equal('10')
    clock.pass(10_000)
    expect((await asked(headers)).status).to.equal(200)
  })
})
