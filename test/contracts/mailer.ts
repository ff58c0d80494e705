/** What everything that takes mails does. */
import { expect } from 'chai'
import type { Mail, Mailer } from '../../src/ports/sending/mailer.ts'

export interface MailerUnderTest {
  readonly mailer: Mailer
  /** The mails that it has, as they were given. */
  readonly taken: () => readonly string[]
  readonly close: () => Promise<void>
}

export function mailerContract(open: () => Promise<MailerUnderTest>): void {
  let under: MailerUnderTest
  beforeEach(async () => (under = await open()))
  afterEach(async () => {
    under.mailer.close()
    await under.close()
  })

  const mail = (id: string, text: string): Mail => ({
    from: `post+${id}@example.com`,
    to: 'zoe@example.com',
    bytes: Buffer.from(`Message-ID: <${id}@example.com>\r\nSubject: x\r\n\r\n${text}\r\n`),
    messageId: `<${id}@example.com>`,
  })

  it('has taken a mail once it has replied, byte for byte', async () => {
    const one = mail('n1', 'Zoë\r\n.\r\n..dots\r\n\r\n')
    expect(await under.mailer.send(one)).to.match(/^250 /)
    expect(under.taken()).to.deep.equal([Buffer.from(one.bytes).toString()])
  })

  it('takes several at once', async () => {
    const all = Array.from({ length: 20 }, (_, n) => mail(`n${n}`, `mail ${n}`))
    await Promise.all(all.map((one) => under.mailer.send(one)))
    expect([...under.taken()].sort()).to.deep.equal(
      all.map(({ bytes }) => Buffer.from(bytes).toString()).sort(),
    )
  })

  it('does not fail for a mail that it has had before', async () => {
    const one = mail('n1', 'again')
    await under.mailer.send(one)
    expect(await under.mailer.send(one)).to.match(/^250 /)
    expect(new Set(under.taken()).size).to.equal(1)
  })

  it('forgets a mail, also one that it does not have, and no other', async () => {
    await under.mailer.send(mail('n1', 'one'))
    await under.mailer.send(mail('n2', 'two'))
    await under.mailer.forget('<n1@example.com>')
    await under.mailer.forget('<n9@example.com>')
    expect(under.taken().join('')).to.contain('two')
  })
}
