/** Both places for mails: a server, and a folder. */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { mailFolder } from '../../../src/adapters/mail/folder.ts'
import { smtpMailer } from '../../../src/adapters/mail/smtp.ts'
import { mailerContract } from '../../contracts/mailer.ts'
import { newFolder } from '../../support/service.ts'

describe('mails to a server', () => {
  mailerContract(async () => {
    const taken: string[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          taken.push(Buffer.concat(chunks).toString())
          done()
        })
      },
    })
    server.on('error', () => {})
    server.listen(0, '127.0.0.1')
    await once(server.server, 'listening')
    const { port } = server.server.address() as AddressInfo
    return {
      mailer: smtpMailer({ url: `smtp://127.0.0.1:${port}` }),
      taken: () => taken,
      close: () => new Promise<void>((resolve) => server.close(resolve)),
    }
  })
})

describe('mails to a folder', () => {
  const inFolder = async () => {
    const folder = join(newFolder(), 'mail')
    const names = () => (existsSync(folder) ? readdirSync(folder) : [])
    return {
      folder,
      mailer: mailFolder(folder),
      taken: () => names().map((name) => readFileSync(join(folder, name), 'utf8')),
      close: async () => rmSync(join(folder, '..'), { recursive: true }),
    }
  }
  mailerContract(inFolder)

  it('are there no more once they are forgotten', async () => {
    const { mailer, taken, close } = await inFolder()
    const mail = { from: 'a@example.com', to: 'b@example.com', bytes: Buffer.from('x'), messageId: '<1@x>' }
    await mailer.send(mail)
    await mailer.forget(mail.messageId)
    expect(taken()).to.deep.equal([])
    await close()
  })

  it('are files for their owner alone, whatever their Message-ID holds', async () => {
    const { folder, mailer, close } = await inFolder()
    const mail = {
      from: 'a@example.com',
      to: 'b@example.com',
      bytes: Buffer.from('x'),
      messageId: '<../../evil/x@y>',
    }
    await mailer.send(mail)
    expect(readdirSync(folder)).to.deep.equal(['_.._.._evil_x_y_.eml'])
    expect(statSync(join(folder, '_.._.._evil_x_y_.eml')).mode & 0o777).to.equal(0o600)
    expect(readdirSync(join(folder, '..'))).to.deep.equal(['mail'])
    await close()
  })
})
