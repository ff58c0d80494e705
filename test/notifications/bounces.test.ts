/** Mails that were taken and came back: reports of servers and of providers, and what they change. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../src/domain/json.ts'
import { bounceIn } from '../../src/notifications/bounces/delivery-status.ts'
import { bouncesIn } from '../../src/notifications/bounces/provider-report.ts'
import { client, testService, type Data, type TestService } from '../support/service.ts'

const KEY = 'notification-01k0000000000000000000000a'

/** As Postfix writes it. */
const report = ({
  status = '5.1.1',
  action = 'failed',
  to = KEY,
  said = '550 5.1.1 <zoe@example.com>: unknown',
} = {}) =>
  [
    'Return-Path: <>',
    `Delivered-To: post+${to}@harbour.example`,
    'From: MAILER-DAEMON@mx.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B1/mx.example"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--B1/mx.example',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry: zoe@example.com',
    '',
    '--B1/mx.example',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    'Arrival-Date: Mon, 1 Jan 2029 10:00:00 +0000 (UTC)',
    '',
    'Final-Recipient: rfc822; Zoe@example.com',
    'Original-Recipient: rfc822;Zoe@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    'Remote-MTA: dns; mail.example.com',
    `Diagnostic-Code: smtp; ${said.slice(0, 9)}`,
    `    ${said.slice(10)}`,
    '',
    '--B1/mx.example',
    'Content-Type: message/rfc822',
    '',
    'Subject: Your request',
    '',
    'Dear Zoe',
    '--B1/mx.example--',
    '',
  ].join('\r\n')

describe('a report of failed delivery', () => {
  it('says which message, which address, and why', () => {
    const found = { message: KEY, address: 'zoe@example.com', isAddress: true }
    expect(bounceIn(report())).to.deep.include(found)
    expect(bounceIn(report())!.reason).to.match(/^5\.1\.1 550 5\.1\.1 <zoe@example/)
    expect(bounceIn(report().replaceAll('\r\n', '\n'))).to.deep.include(found)
  })

  for (const [status, action, isAddress] of [
    ['5.1.1', 'failed', true],
    ['5.1.10', 'failed', true],
    ['5.2.1', 'failed', true],
    ['5.2.2', 'failed', false],
    ['5.7.1', 'failed', false],
    ['5.0.0', 'failed', false],
    ['4.2.2', 'failed', undefined],
    ['4.4.1', 'delayed', undefined],
    ['2.0.0', 'delivered', undefined],
  ] as const)
    it(`of ${status}, ${action}, ${isAddress === undefined ? 'changes nothing' : isAddress ? 'is about the address' : 'is about the mail'}`, () =>
      expect(bounceIn(report({ status, action, said: '550 5.0.0 no' }))?.isAddress).to.equal(isAddress))

  it('names the message in the mail that it returns, where its own address does not', () =>
    expect(
      bounceIn(
        report({ to: 'x' }).replace('Subject: Your', `Message-ID: <${KEY}@harbour.example>\r\nSubject: Your`),
      ),
    ).to.include({ message: KEY }))

  it('is not seen in other mails, and nothing that arrives breaks it', () => {
    expect(bounceIn('Subject: I am away\r\n\r\nBack on Monday.')).to.equal(undefined)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (noise, at) => {
        const whole = report()
        const place = at % whole.length
        bounceIn(whole.slice(0, place) + noise + whole.slice(place))
        bounceIn(noise)
      }),
    )
  })
})

describe('a report of a provider', () => {
  const id = `<${KEY}@harbour.example>`
  for (const [name, body, isFound] of [
    [
      'Brevo',
      { event: 'hard_bounce', email: 'Zoe@example.com', 'message-id': id, reason: 'no such user' },
      true,
    ],
    ['Brevo, for now', { event: 'soft_bounce', email: 'zoe@example.com', 'message-id': id }, false],
    ['Brevo, taken', { event: 'delivered', email: 'zoe@example.com', 'message-id': id }, false],
    ['SendGrid', [{ email: 'zoe@example.com', event: 'bounce', type: 'bounce', 'smtp-id': id }], true],
    [
      'SendGrid, blocked',
      [{ email: 'zoe@example.com', event: 'bounce', type: 'blocked', 'smtp-id': id }],
      false,
    ],
    [
      'Postmark',
      { RecordType: 'Bounce', Type: 'HardBounce', Email: 'zoe@example.com', Description: 'x' },
      true,
    ],
    ['Postmark, for now', { RecordType: 'Bounce', Type: 'Transient', Email: 'zoe@example.com' }, false],
    [
      'Mailgun',
      {
        'event-data': {
          event: 'failed',
          severity: 'permanent',
          recipient: 'zoe@example.com',
          message: { headers: { 'message-id': id.slice(1, -1) } },
        },
      },
      true,
    ],
    [
      'Amazon SES',
      {
        notificationType: 'Bounce',
        bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'zoe@example.com' }] },
      },
      true,
    ],
    ['a complaint', { event: 'spam', email: 'zoe@example.com', 'message-id': id }, true],
  ] as const)
    it(`is read: ${name}`, () => {
      const [found, ...others] = bouncesIn(body)
      expect(others).to.deep.equal([])
      expect(found !== undefined).to.equal(isFound)
      if (isFound) expect(found).to.include({ address: 'zoe@example.com', isAddress: true })
    })

  it('may be anything', () =>
    fc.assert(fc.property(fc.jsonValue(), (value) => void bouncesIn(value as Json))))
})

describe('mails that came back', () => {
  let service: TestService
  let place: string
  const anyone = client(() => service.notificationUrl, '')
  before(async () => {
    service = await testService()
    const template = { name: 'R', trigger: 'service-request-created', subject: 'S', body: '<p>x</p>' }
    await service.post('notifications/templates', { template })
    place = (await service.get('notifications/bounces')).data['path'] as string
  })
  after(() => service.discard())

  const messages = async () => (await service.get('notifications/messages')).list
  const message = async (address: string, state: string): Promise<Data> => {
    for (let looks = 0; looks < 300; looks++) {
      const found = (await messages()).find((one) => one['Recipient'] === address && one['State'] === state)
      if (found) return found
      await delay(20)
    }
    throw new Error(JSON.stringify(await messages()))
  }
  const request = async (Email: string) => {
    const tenant = await service.create('tenant', { Name: 'Zoë', Email })
    return service.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
  }
  const sendReport = (body: string, to = place) =>
    anyone.send('POST', to, { body, headers: { 'Content-Type': 'message/rfc822' } })

  it('are known as such, and their address gets no more', async () => {
    const about = await request('zoe@example.com')
    const sent = await message('zoe@example.com', 'sent')
    for (let times = 0; times < 2; times++) {
      const answer = await sendReport(report({ to: sent.Id }))
      expect([answer.status, answer.data], answer.text).to.deep.equal([200, { Messages: 1 }])
    }
    expect(await message('zoe@example.com', 'bounced')).to.include({ Id: sent.Id })
    expect(service.eventsOf(sent.Id).filter(({ type }) => type === 'notification.bounced')).to.have.length(1)
    await request('zoe@example.com')
    expect((await message('zoe@example.com', 'withheld'))['Reason']).to.contain('it came back: 5.1.1')
    const { list } = await service.get(`servicerequest/${about.Id}/history?include=messages`)
    expect(list.map(({ Event }) => Event)).to.include('notification.bounced')
  })

  it('suppress the address of the message, whatever the report says, and for bad addresses alone', async () => {
    await request('full@example.com')
    const full = await message('full@example.com', 'sent')
    await sendReport(report({ to: full.Id, status: '5.2.2' }))
    await message('full@example.com', 'bounced')
    const { list } = await service.get('notifications/suppressions')
    expect(list.map((one) => one['Address'])).to.deep.equal(['zoe@example.com'])
  })

  it('are found by the address where a provider names no message', async () => {
    await request('ann@example.com')
    await message('ann@example.com', 'sent')
    const body = JSON.stringify({ RecordType: 'Bounce', Type: 'HardBounce', Email: 'ann@example.com' })
    const answer = await anyone.send('POST', place, { body, headers: { 'Content-Type': 'application/json' } })
    expect(answer.data, answer.text).to.deep.equal({ Messages: 1 })
    await message('ann@example.com', 'bounced')
  })

  it('are believed of who knows the place alone, and change no message of another company', async () => {
    const sent = (await messages()).find((one) => one['Recipient'] === 'ann@example.com')!
    expect((await sendReport(report({ to: sent.Id }), '/inbound/bounces/guessed')).status).to.equal(404)
    expect((await sendReport(report({ to: sent.Id }), `${place.slice(0, -3)}AAA`)).status).to.equal(404)
    const unlike = await sendReport(report({ to: KEY }))
    expect(unlike.data).to.deep.equal({ Messages: 0 })
    expect((await sendReport('{"event":')).status).to.equal(400)
    expect((await sendReport('Subject: I am away\r\n\r\nx')).data).to.deep.equal({ Messages: 0 })
  })
})
