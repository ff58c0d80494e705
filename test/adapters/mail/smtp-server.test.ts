/** Mails to a real SMTP server: what it refuses for now or for good, where it falls silent, and what is signed. */
import { createVerify, generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { smtpMailer, type SmtpOptions } from '../../../src/adapters/mail/smtp.ts'
import { mimeOf } from '../../../src/notifications/sending/mime.ts'
import { MailRefused } from '../../../src/ports/sending/mailer.ts'

const messageId = '<1@example.com>'

/** @param answers to each step in turn: a code that refuses; 0: none at all; it takes the rest */
async function mailing(
  answers: { readonly from?: number[]; readonly rcpt?: number[]; readonly data?: number[] },
  options: Omit<SmtpOptions, 'url'> = {},
) {
  const received: string[] = []
  const answer = (codes: number[] = [], done: (error?: Error | null) => void) => {
    const code = codes.shift()
    if (code === undefined) done()
    else if (code > 0) done(Object.assign(new Error('as the test has it'), { responseCode: code }))
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => answer(answers.from, done),
    onRcptTo: (_address, _session, done) => answer(answers.rcpt, done),
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push(Buffer.concat(chunks).toString('latin1'))
        answer(answers.data, done)
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, ...options })
  const bytes = await mimeOf({
    from: 'Harbour <post@example.com>',
    to: 'zoe@example.com',
    messageId,
    date: new Date('2030-01-01T00:00:00Z'),
    locale: 'en',
    rendered: { subject: 'Größe  of  it', body: '<p>Zoë</p>', text: 'Zoë \n.\n..dots\n\n\n' },
  })
  const mail = { from: 'post+1@example.com', to: 'zoe@example.com', bytes, messageId }
  return {
    received,
    send: () => mailer.send(mail).catch((error: unknown) => error),
    async [Symbol.asyncDispose]() {
      mailer.close()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

describe('a mail to an SMTP server', () => {
  for (const [at, code, isFinal, isAddress] of [
    ['from', 451, false, false],
    ['from', 550, true, false],
    ['rcpt', 451, false, false],
    ['rcpt', 452, false, false],
    ['rcpt', 550, true, true],
    ['rcpt', 554, true, false],
    ['data', 451, false, false],
    ['data', 554, true, false],
  ] as const)
    it(`was not taken by ${code} at ${at}${isFinal ? ', for good' : ', and is taken once it is sent again'}`, async () => {
      await using mails = await mailing({ [at]: [code] })
      const refused = await mails.send()
      expect(refused).to.be.an.instanceOf(MailRefused).and.to.include({ isFinal, isAddress })
      expect((refused as Error).message).to.contain(String(code))
      expect(mails.received).to.have.length(at === 'data' ? 1 : 0)
      expect(await mails.send()).to.match(/^250 /)
      // The bytes are the same each time.
      expect(new Set(mails.received).size).to.equal(1)
    })

  it('may have been taken by a server that falls silent once it has it', async () => {
    await using mails = await mailing({ data: [0] }, { socketTimeoutMs: 1_000 })
    expect(await mails.send())
      .to.be.an('error')
      .and.not.an.instanceOf(MailRefused)
    expect(mails.received).to.have.length(1)
  })

  it('is signed by the key of the domain, as a verifier sees it', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await using mails = await mailing({}, { dkim: { domain: 'example.com', selector: 'mail', key } })
    expect(await mails.send()).to.match(/^250 /)
    const [mail = ''] = mails.received
    expect(signatureOf(mail)).to.include({
      d: 'example.com',
      s: 'mail',
      a: 'rsa-sha256',
      c: 'relaxed/relaxed',
    })
    expect(signatureOf(mail)['h']!.toLowerCase().split(':')).to.include.members([
      'from',
      'to',
      'subject',
      'message-id',
    ])
    expect(isSignedBy(publicKey, mail)).to.equal(true)
    expect(isSignedBy(publicKey, mail.replace('dots', 'DOTS'))).to.equal(false)
    expect(isSignedBy(publicKey, mail.replace('To: zoe@', 'To: zac@'))).to.equal(false)
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    expect(isSignedBy(other.publicKey, mail)).to.equal(false)
  })
})

/** Headers as they stand, continued lines with them; and the body. */
function partsOf(mail: string) {
  const end = mail.indexOf('\r\n\r\n')
  return { headers: mail.slice(0, end).split(/\r\n(?![ \t])/), body: mail.slice(end + 4) }
}

const nameOf = (header: string) => header.slice(0, header.indexOf(':')).toLowerCase()

function signatureOf(mail: string): Readonly<Record<string, string>> {
  const header = partsOf(mail).headers.find((one) => nameOf(one) === 'dkim-signature') ?? ''
  const tags = header
    .slice(header.indexOf(':') + 1)
    .replace(/\s+/g, '')
    .split(';')
  return Object.fromEntries(
    tags.map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  )
}

/** RFC 6376, as far as `rsa-sha256` and `relaxed/relaxed` need it. */
function isSignedBy(key: KeyObject, mail: string): boolean {
  const { headers, body } = partsOf(mail)
  const { bh, b = '', h = '' } = signatureOf(mail)
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  const plain = lines.join('\r\n').replace(/(\r\n)*$/, '\r\n')
  if (hash('sha256', Buffer.from(plain, 'latin1'), 'base64') !== bh) return false
  const relaxed = (header: string) =>
    `${nameOf(header)}:${header
      .slice(header.indexOf(':') + 1)
      .replace(/\s+/g, ' ')
      .trim()}`
  const left = [...headers]
  const signed = h.split(':').flatMap((name) => {
    const place = left.findLastIndex((header) => nameOf(header) === name.toLowerCase())
    return place < 0 ? [] : left.splice(place, 1)
  })
  const own = headers.find((one) => nameOf(one) === 'dkim-signature')!.replace(/(;\s*b=)[^;]*/, '$1')
  const text = [...signed, own].map(relaxed).join('\r\n')
  return createVerify('sha256').update(Buffer.from(text, 'latin1')).verify(key, b, 'base64')
}
