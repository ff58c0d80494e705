/** Mails through a server that takes them first and reports later: Postfix, and the alias of docs/notifications.md#bounces. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { NO_POSTFIX, startPostfix, type Postfix } from '../engines/postfix/start.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { testService, type Data, type TestService } from '../support/service.ts'

const DOMAIN = 'harbour.example'

suiteOf('mails through Postfix, and its reports', NO_POSTFIX)('mails through Postfix', function () {
  this.timeout(60_000)
  let service: TestService
  let postfix: Postfix
  let beyond: SMTPServer
  const arrived: string[] = []
  before(async () => {
    service = await testService()
    const { path } = (await service.get('notifications/bounces')).data
    beyond = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, _session, done) {
        done(
          address.startsWith('gone')
            ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 })
            : address.startsWith('full')
              ? Object.assign(new Error('5.2.2 mailbox full'), { responseCode: 552 })
              : null,
        )
      },
      onData(stream, { envelope }, done) {
        stream.resume()
        stream.on('end', () => {
          arrived.push(...envelope.rcptTo.map(({ address }) => address))
          done()
        })
      },
    })
    await new Promise<void>((resolve) => beyond.listen(0, '127.0.0.1', resolve))
    const { port } = beyond.server.address() as AddressInfo
    const command = aliasOf(readFileSync('docs/notifications.md', 'utf8'))
    const to = `${service.notificationUrl}${path as string}`
    postfix = await startPostfix({
      relayTo: port,
      domain: DOMAIN,
      command: command.replace(/https:\S*<key>/, to),
    })
    await service.restart({
      SMTP_URL: postfix.url,
      MAIL_FROM: `Harbour <post@${DOMAIN}>`,
      ...samePorts(service),
    })
    const template = {
      name: 'R',
      trigger: 'service-request-created',
      subject: 'S',
      body: '<p>{{Subject}}</p>',
    }
    await service.post('notifications/templates', { template })
  })
  after(async () => {
    postfix?.stop()
    await service?.discard()
    await new Promise<void>((resolve) => beyond.close(() => resolve()))
  })

  const messageTo = async (Email: string, state: string): Promise<Data> => {
    const tenant = await service.create('tenant', { Name: 'Zoë', Email })
    await service.create('servicerequest', { Subject: 'A tap', Tenant: tenant.Id })
    const filter = encodeURIComponent(`Recipient eq '${Email}'`)
    for (let looks = 0; looks < 600; looks++) {
      const found = (await service.get(`notifications/messages?sort=-CreatedAt&filter=${filter}`)).list[0]
      if (found?.['State'] === state) return found
      await delay(50)
    }
    throw new Error(`${(await service.get('notifications/messages')).text}\n${postfix.log()}`)
  }

  it('arrive', async () => {
    expect((await messageTo('zoe@example.com', 'sent'))['Reply']).to.match(/^250 .*queued as/)
    for (let looks = 0; looks < 600 && !arrived.includes('zoe@example.com'); looks++) await delay(50)
    expect(arrived).to.deep.equal(['zoe@example.com'])
  })

  it('have bounced once its report is here, and the address is not written to again', async () => {
    const bounced = await messageTo('gone@example.com', 'bounced')
    expect(bounced['Reason']).to.match(/^5\.1\.1 .*no such user/)
    const { list } = await service.get('notifications/suppressions')
    expect(list.map((one) => one['Address'])).to.deep.equal(['gone@example.com'])
    await messageTo('gone@example.com', 'withheld')
  })

  it('have bounced where a mailbox is full, and the address is still written to', async () => {
    expect((await messageTo('full@example.com', 'bounced'))['Reason']).to.match(/^5\.2\.2 /)
    const { list } = await service.get('notifications/suppressions')
    expect(list).to.have.length(1)
  })
})

/** The command of the alias that the page has. */
function aliasOf(page: string): string {
  const [, command] = /alias\s+`post: "\|([^"]+)"`/.exec(page) ?? []
  if (command === undefined) throw new Error('docs/notifications.md has no alias any more')
  return command
}

/** The reports go to where the service was. */
const samePorts = ({ url, notificationUrl }: TestService) => ({
  PORT: new URL(url).port,
  NOTIFICATION_PORT: new URL(notificationUrl).port,
})
