/** The notification service over HTTP, with a mail server: templates, triggers, messages, unsubscribing, refusals. */
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { client, testService, TOKEN, type Client, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

/** The request of docs/notifications.md#templates, to the letter. */
const AS_SPECIFIED = {
  template: {
    name: 'Renewal reminder',
    trigger: 'contract-renewal-reminder',
    subject: 'Contract {{ContractNumber}} ends on {{EndDate}}',
    body: '<p>Dear {{Tenant.Name}},</p><p>your contract {{ContractNumber}} ends on {{EndDate}}.</p>',
  },
}

interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

/** A mail server that answers each recipient as `answer` says. */
async function mailServer(answer: (to: string) => Error | undefined) {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(answer(address)),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from, to, text: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

const refusing = (to: string): Error | undefined => {
  if (to.startsWith('gone@')) return Object.assign(new Error('no such user'), { responseCode: 550 })
  return undefined
}

describe('the notification service', () => {
  const clock = manualClock('2030-01-01T00:00:00.000Z')
  let mails: Awaited<ReturnType<typeof mailServer>>
  let service: TestService
  let api: Client
  before(async () => {
    mails = await mailServer(refusing)
    service = await testService({
      clock,
      settings: {
        SMTP_URL: mails.url,
        MAIL_FROM: 'Harbour <post@harbour.example>',
        NOTIFICATION_URL: 'https://notify.example',
        WEBHOOK_SCHEDULE: '0s,1s,1s',
      },
    })
    api = client(() => service.notificationUrl, TOKEN)
  })
  after(async () => {
    await service.discard()
    await mails.stop()
  })

  const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (let looks = 0; looks < 150; looks++) {
      const found = await look()
      if (found !== undefined) return found
      await delay(100)
    }
    throw new Error(
      `it did not happen: ${JSON.stringify((await api.get('/messages')).json)} ${JSON.stringify(service.logged)}`,
    )
  }
  const message = (address: string, state: string) =>
    until(async () =>
      (await api.get('/messages')).list.find((one) => one['Recipient'] === address && one['State'] === state),
    )
  let contract: Data
  /** Everything that is due by now has been looked at: an invoice that is overdue since long has become so, and reads caught up. */
  const lookedAt = async () => {
    const day = new Date(clock.now() - 3 * 86_400_000).toISOString().slice(0, 10)
    const TotalAmount = { Amount: 1, Currency: 'EUR' }
    const one = await service.create('invoice', {
      Status: 'Issued',
      TotalAmount,
      IssueDate: day,
      DueDate: day,
    })
    const isOverdue = async () => (await service.get(`invoice/${one.Id}`)).data['Status'] === 'Overdue'
    await until(async () => ((await isOverdue()) ? true : undefined))
    await until(async () => {
      const { list } = await service.get('projections')
      return list.every(({ Lag }) => Lag === 0) ? true : undefined
    })
  }
  const tomorrow = () => new Date(clock.now() + 86_400_000).toISOString().slice(0, 10)
  const activeContract = async (Email: string, EndDate: string) => {
    const tenant = await service.create('tenant', { Name: 'Zoë <b>O’Brien', Email, PreferredLanguage: 'en' })
    const rent = { Amount: 900, Currency: 'EUR' }
    const made = await service.create('contract', {
      Tenant: tenant.Id,
      MonthlyRent: rent,
      StartDate: tomorrow(),
      EndDate,
    })
    await service.patch(`contract/${made.Id}`, { Status: 'Active' })
    return made
  }

  it('takes the request of the specification, by a token with the grant notify', async () => {
    const answer = await api.post('/templates', AS_SPECIFIED)
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.data['template']).to.include({
      ...AS_SPECIFIED.template,
      area: 'leasing',
      locale: 'en',
      version: 1,
    })
    expect((answer.data['template'] as { tags: string[] }).tags).to.deep.equal([
      'ContractNumber',
      'EndDate',
      'Tenant.Name',
    ])
    expect(answer.data['warnings']).to.deep.equal([])
    expect(
      (await client(() => service.notificationUrl, '').post('/templates', AS_SPECIFIED)).status,
    ).to.equal(401)
    const viewer = await service.post('identity/tokens', { Name: 'viewer', Roles: ['viewer'] })
    const asViewer = client(() => service.notificationUrl, viewer.data['Token'] as string)
    expect((await asViewer.post('/templates', AS_SPECIFIED)).status).to.equal(403)
    const manager = await service.post('identity/tokens', {
      Name: 'manager',
      Roles: ['notification_manager'],
    })
    const asManager = client(() => service.notificationUrl, manager.data['Token'] as string)
    const again = await asManager.post('/templates', AS_SPECIFIED)
    expect(again.data['template']).to.include({ version: 1 })
  })

  it('warns of tags that lead nowhere, and refuses those that stand where no value is safe', async () => {
    const template = { ...AS_SPECIFIED.template, name: 'Other', body: '<p>{{Tenent.Name}}</p>' }
    const warned = await api.post('/templates/validate', { template })
    expect(JSON.stringify(warned.data['warnings'])).to.contain('did you mean Tenant?')
    const short = await api.post('/templates/validate', {
      template: { ...template, trigger: 'contract-renewal-remnder', body: '{{Numer}}' },
    })
    const said = JSON.stringify(short.data['warnings'])
    expect(said).to.contain('no object has such a field; did you mean Number?')
    expect(said).to.contain('did you mean contract-renewal-reminder?')
    const looked = { template: { ...template, body: '{{Nme}}' } }
    const { warnings } = (await api.post('/templates/validate', looked)).data
    expect(JSON.stringify(warnings)).to.contain('contract has no field Nme; did you mean Tenant.Name?')
    expect((await api.get('/template')).error.Message).to.equal(
      'there is no GET /template; did you mean /templates?',
    )
    for (const body of [
      '<a href={{Id}}>x</a>',
      '<a href="{{Notes}}">x</a>',
      '<a href="javascript:{{Id}}">x</a>',
      '<p onclick="{{Id}}">x</p>',
      '<p style="color: {{Notes}}">x</p>',
      '<script>{{Id}}</script>',
      '<!-- {{Id}} -->',
      '<{{Id}}>x',
      '{{#if Id}}x',
    ]) {
      const refused = await api.post('/templates/validate', { template: { ...template, body } })
      expect(refused.status, body).to.equal(400)
    }
    const begun = {
      ...template,
      subject: 's {{Contr',
      body: 'b {{Id}} {{ContractNumber',
      text: '{{ Id }\n{{Id}}',
    }
    const unclosed = await api.post('/templates', { template: begun })
    expect([unclosed.status, unclosed.faults]).to.deep.equal([
      400,
      [
        'subject: {{Contr at 2 is not closed: write {{Field}} or {{Lookup.Field}}',
        'body: {{ContractNumber at 9 is not closed: write {{Field}} or {{Lookup.Field}}',
        'text: {{ Id at 0 is not closed: write {{Field}} or {{Lookup.Field}}',
      ],
    ])
    const styled = '<style>@media print{p{color:red}}</style><p>{ {{Id}} } }}</p>'
    expect(
      (await api.post('/templates/validate', { template: { ...template, body: styled } })).status,
    ).to.equal(200)
    const fine = '<a href="https://example.com/c/{{Id}}" title="{{Notes}}">{{Notes}}</a>'
    expect(
      (await api.post('/templates/validate', { template: { ...template, body: fine } })).status,
    ).to.equal(200)
  })

  it('previews with a record, under the rights of the caller', async () => {
    contract = await activeContract('zoe@example.com', '2030-05-31')
    const [template] = (await api.get('/templates')).list
    const shown = await api.post(`/templates/${template!.Id}/preview`, { record: contract.Id })
    expect(shown.data['subject']).to.match(/^Contract CON-2030-\d+ ends on May 31, 2030$/)
    expect(shown.data['body']).to.contain('Zoë &lt;b&gt;O’Brien')
    const manager = await service.post('identity/tokens', {
      Name: 'manager 2',
      Roles: ['notification_manager'],
    })
    const asManager = client(() => service.notificationUrl, manager.data['Token'] as string)
    expect(
      (await asManager.post(`/templates/${template!.Id}/preview`, { record: contract.Id })).status,
    ).to.equal(403)
  })

  it('reminds 90 days before, once, with what the record was; and says what was sent', async () => {
    clock.jump('2030-03-02T07:59:00.000Z')
    await lookedAt()
    expect(mails.received).to.deep.equal([])
    clock.jump('2030-03-02T08:00:00.000Z')
    const sent = await message('zoe@example.com', 'sent')
    expect(mails.received).to.have.length(1)
    const [mail] = mails.received
    expect(mail!.to).to.deep.equal(['zoe@example.com'])
    expect(mail!.from).to.equal(`post+${sent.Id}@harbour.example`)
    expect(mail!.text).to.contain(`Message-ID: ${sent['MessageId'] as string}`)
    expect(mail!.text).to.contain('Auto-Submitted: auto-generated').and.contain('multipart/alternative')
    expect(sent).to.include({
      Trigger: 'contract-renewal-reminder',
      Record: contract.Id,
      TemplateVersion: 1,
      Attempts: 1,
    })
    expect(service.eventsOf(sent.Id).map(({ type }) => type)).to.deep.equal([
      'notification.created',
      'notification.attempting',
      'notification.sent',
    ])
    await service.restart()
    await service.patch(`contract/${contract.Id}`, { Notes: 'something else' })
    await lookedAt()
    expect(mails.received).to.have.length(1)
  })

  it('unsubscribes by POST alone, for one category', async () => {
    const [, link] = /List-Unsubscribe:\s*<https:\/\/notify\.example(\S+)>/.exec(
      mails.received[0]!.text.replace(/\r\n\s+/g, ''),
    )!
    const anyone = client(() => service.notificationUrl, '')
    for (let times = 0; times < 50; times++) expect((await anyone.get(link!)).status).to.equal(200)
    expect((await api.get('/suppressions')).list).to.deep.equal([])
    expect((await anyone.get(`${link!.slice(0, -3)}AAA`)).status).to.equal(404)
    expect((await anyone.send('POST', link!)).status).to.equal(200)
    const left = await until(async () => (await api.get('/suppressions')).list[0])
    expect(left).to.include({ Address: 'zoe@example.com', Category: 'reminder' })
    clock.jump('2030-05-01T08:00:00.000Z')
    const held = await message('zoe@example.com', 'withheld')
    expect(held['Reason']).to.contain('unsubscribed')
    expect(mails.received).to.have.length(1)
  })

  it('does not write again to an address that the server says there is none of', async () => {
    await activeContract('gone@example.com', '2030-05-28')
    const failed = await message('gone@example.com', 'failed')
    expect(failed['Reason']).to.contain('550')
    const again = await api.post(`/messages/${failed.Id}/resend`)
    expect(again.status, again.text).to.equal(200)
    await message('gone@example.com', 'withheld')
  })

  it('skips what is found too late, and says so', async () => {
    await activeContract('late@example.com', '2030-07-31')
    await lookedAt()
    await service.stop()
    clock.jump('2030-07-20T00:00:00.000Z')
    await service.restart()
    const skipped = await message('late@example.com', 'skipped')
    expect(skipped['Reason']).to.match(/^it was due \d+ days before: at most 7 are made up for$/)
  })

  it('writes to those who may take the next step, and not to the one who asked', async () => {
    const template = {
      name: 'Task',
      trigger: 'workflow-task-create',
      subject: 'A task',
      body: '<p>{{Id}}</p>',
    }
    expect((await api.post('/templates', { template })).status).to.equal(201)
    for (const [Email, role] of [
      ['ann@example.com', 'approver'],
      ['ed@example.com', 'editor'],
    ] as const)
      await service.post('identity/users', { Email, Name: Email, Password: 'a long password', Roles: [role] })
    const open = await service.create('contract', {
      MonthlyRent: { Amount: 1, Currency: 'EUR' },
      StartDate: '2031-01-01',
    })
    await service.post(`contract/${open.Id}/workflow/submit`)
    await message('ann@example.com', 'sent')
    const told = (await api.get('/messages')).list.filter((one) => one['Trigger'] === 'workflow-task-create')
    expect(told.map((one) => one['Recipient']))
      .to.include('ann@example.com')
      .and.not.include('ed@example.com')
  })
})
