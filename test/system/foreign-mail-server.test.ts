/** Mails to a server that is not of this kind: aiosmtpd, in Python, which keeps them in a folder. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { smtpMailer } from '../../src/adapters/mail/smtp.ts'
import { MailRefused } from '../../src/ports/sending/mailer.ts'
import { aiosmtpd } from '../engines/aiosmtpd/binary.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'

const foreign = suiteOf(
  'mails to a foreign mail server',
  aiosmtpd === undefined ? 'npm run engines:install installs aiosmtpd, where there is Python' : undefined,
)

foreign('mails to aiosmtpd', function () {
  this.timeout(60_000)
  const folder = newFolder()
  const mailbox = join(folder, 'mailbox')
  let server: ChildProcess
  let url: string
  let service: TestService
  before(async () => {
    const port = await freePort()
    url = `smtp://127.0.0.1:${port}`
    const handler = ['-c', 'aiosmtpd.handlers.Mailbox', '-s', '100000', '-l', `127.0.0.1:${port}`, mailbox]
    server = spawn(aiosmtpd!, ['-n', ...handler], { stdio: 'ignore' })
    await answering(port)
    service = await testService({ settings: { SMTP_URL: url, MAIL_FROM: 'Harbour <post@harbour.example>' } })
  })
  after(async () => {
    await service?.discard()
    if (server?.exitCode === null) {
      server.kill()
      await once(server, 'exit')
    }
    rmSync(folder, { recursive: true })
  })

  const mails = () => {
    const kept = join(mailbox, 'new')
    return existsSync(kept) ? readdirSync(kept).map((name) => readFileSync(join(kept, name), 'utf8')) : []
  }

  it('arrive once, to the letter', async () => {
    const body = '<p>Zoë: {{Subject}}</p>'
    const template = { name: 'R', trigger: 'service-request-created', subject: 'Größe {{Subject}}', body }
    await service.post('notifications/templates', { template })
    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    await service.create('servicerequest', { Subject: '.a tap\u2019s <drip>', Tenant: tenant.Id })
    const sent = async () =>
      (await service.get('notifications/messages')).list.find((one) => one['State'] === 'sent')
    for (let looks = 0; looks < 300 && !(await sent()); looks++) await delay(50)
    const message = (await sent())!
    expect(message['Reply']).to.match(/^250 /)
    const [mail = '', ...others] = mails()
    expect(others).to.deep.equal([])
    expect(mail)
      .to.contain('X-RcptTo: zoe@example.com')
      .and.contain(`X-MailFrom: post+${message.Id}@harbour.example`)
    expect(mail).to.contain(`Message-ID: ${message['MessageId'] as string}`)
    expect(mail).to.contain('multipart/alternative')
  })

  it('are refused for good where they are larger than it takes', async () => {
    const mailer = smtpMailer({ url })
    const bytes = Buffer.from(`Subject: x\r\n\r\n${'0123456789\r\n'.repeat(20_000)}`)
    const mail = { from: 'a@example.com', to: 'b@example.com', bytes, messageId: '<1@x>' }
    const refused = await mailer.send(mail).catch((error: unknown) => error)
    mailer.close()
    expect(refused).to.be.an.instanceOf(MailRefused).and.to.include({ isFinal: true, isAddress: false })
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answering(port: number): Promise<void> {
  for (let looks = 0; looks < 300; looks++) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isThere) return
    await delay(50)
  }
  throw new Error('aiosmtpd does not answer')
}
