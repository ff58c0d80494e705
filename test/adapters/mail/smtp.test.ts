/** Mails by SMTP: what is known of a mail whose server does not answer. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { smtpMailer } from '../../../src/adapters/mail/smtp.ts'
import { MailRefused } from '../../../src/ports/sending/mailer.ts'

const mail = {
  from: 'a@example.com',
  to: 'b@example.com',
  bytes: Buffer.from('Subject: x\r\n\r\ny'),
  messageId: '<1@x>',
}

/** Sends to a server that does this once it has the whole mail, and says what came of it. */
async function sentTo(cut: 'end' | 'resetAndDestroy' | 'destroy'): Promise<unknown> {
  const server = createServer((socket) => {
    let isData = false
    socket.write('220 here\r\n')
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const text = bytes.toString()
      if (isData && text.endsWith('\r\n.\r\n')) socket[cut]()
      else if (/^DATA/.test(text)) {
        isData = true
        socket.write('354 go on\r\n')
      } else if (!isData) socket.write('250 ok\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const outcome = await mailer.send(mail).catch((error: unknown) => error)
  mailer.close()
  server.close()
  return outcome
}

describe('a mail by SMTP', () => {
  for (const cut of ['end', 'destroy', 'resetAndDestroy'] as const)
    it(`may have been taken by a server that cuts the connection after it (${cut})`, async () =>
      expect(await sentTo(cut))
        .to.be.an('error')
        .and.not.an.instanceOf(MailRefused))

  it('was not taken by a server that is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}` })
    const outcome = await mailer.send(mail).catch((error: unknown) => error)
    mailer.close()
    expect(outcome).to.be.an.instanceOf(MailRefused).and.to.include({ isFinal: false })
  })
})
