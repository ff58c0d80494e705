/** The history of a record says the messages that were sent about it, to those who may know. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { client, testService, type Data, type TestService } from '../support/service.ts'

describe('messages in the history of their record', () => {
  let service: TestService
  let request: Data
  before(async () => {
    service = await testService({ settings: { MAIL_ALLOW: 'zoe@example.com,ann@example.com' } })
    const template = { name: 'R', trigger: 'service-request-created', subject: 'S', body: '<p>x</p>' }
    expect((await service.post('notifications/templates', { template })).status).to.equal(201)
    for (const [Email, Role] of [
      ['ann@example.com', 'application_manager'],
      ['bob@example.com', 'application_manager'],
    ] as const)
      await service.post('identity/users', { Email, Name: Email, Password: 'a long password', Roles: [Role] })
    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    request = await service.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
    await decided(3)
    await service.patch(`servicerequest/${request.Id}`, { Subject: 'Two taps drip' })
    const unlike = await service.create('servicerequest', { Subject: 'Another', Tenant: tenant.Id })
    await decided(6)
    expect(unlike.Id).to.not.equal(request.Id)
  })
  after(() => service.discard())

  const decided = async (count: number) => {
    const filter = encodeURIComponent("State eq 'sent' or State eq 'withheld'")
    for (let looks = 0; looks < 300; looks++) {
      const { list } = await service.get(`notifications/messages?filter=${filter}`)
      if (list.length === count) return
      await delay(20)
    }
    throw new Error((await service.get('notifications/messages')).text)
  }
  const history = (parameters: string) => service.get(`servicerequest/${request.Id}/history?${parameters}`)
  const shown = (list: readonly Data[]) =>
    list.map(({ Version, Event, Message }) => [Version, Event, (Message as Data | undefined)?.['Recipient']])

  it('stand where they happened among what was changed', async () => {
    const { list, text } = await history('include=messages')
    const [first, ...rest] = shown(list)
    expect(first, text).to.deep.equal([1, 'servicerequest.created', undefined])
    expect(rest.pop()).to.deep.equal([2, 'servicerequest.updated', undefined])
    expect(rest).to.have.deep.members([
      [null, 'notification.sent', 'zoe@example.com'],
      [null, 'notification.sent', 'ann@example.com'],
      [null, 'notification.withheld', 'bob@example.com'],
    ])
    const withheld = list.find(({ Event }) => Event === 'notification.withheld')!
    expect(withheld).to.deep.include({ Changes: {}, Reason: 'the address is not among those of MAIL_ALLOW' })
    const sent = list.find(({ Event }) => Event === 'notification.sent')!
    expect(sent['Message']).to.include({ Trigger: 'service-request-created', TemplateVersion: 1 })
    expect((sent['Message'] as Data)['MessageId']).to.match(/^<notification-.*@/)
  })

  it('are paged with them', async () => {
    const whole = (await history('include=messages')).list
    const pages = await Promise.all(
      [1, 2, 3].map((page) => history(`include=messages&pageSize=2&page=${page}`)),
    )
    expect(pages.flatMap(({ list }) => list)).to.deep.equal(whole)
    expect(pages[0]!.json).to.have.nested.include({ 'Pagination.TotalRecords': 5 })
  })

  it('are not there unasked, nor for who may not see addresses', async () => {
    expect(shown((await history('')).list).map(([Version]) => Version)).to.deep.equal([1, 2])
    expect((await history('include=everything')).status).to.equal(400)
    const Grants = [{ Object: 'servicerequest', Actions: ['read', 'audit'] }]
    expect((await service.post('identity/roles', { Name: 'desk', Grants })).status).to.equal(201)
    const token = await service.post('identity/tokens', { Name: 'desk', Roles: ['desk'] })
    const desk = client(() => service.url, token.data['Token'] as string)
    const path = `/api/v1/servicerequest/${request.Id}/history`
    expect((await desk.get(path)).status).to.equal(200)
    expect((await desk.get(`${path}?include=messages`)).status).to.equal(403)
  })

  it('leave the version of the record as it is', async () => {
    const record = await service.get(`servicerequest/${request.Id}`)
    expect(record.headers.get('etag')).to.equal('"2"')
  })
})
