/** Sends what a template comes to as a test: to somebody's own address, marked, and without a message that is kept. */
import { randomUUID } from 'node:crypto'
import { Conflict, Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import { MailRefused, type Mailer } from '../../ports/sending/mailer.ts'
import type { Rendered } from '../templates/render.ts'
import { addressIn, mimeOf } from './mime.ts'
import { withheldFor, type Withholding } from './withheld.ts'

export interface SendTestOptions extends Withholding {
  readonly mailer: Pick<Mailer, 'send'>
  readonly clock: Pick<Clock, 'now'>
  readonly from: string
  readonly replyTo?: string | undefined
}

export interface TestMail {
  readonly company: Company
  readonly to: string
  readonly rendered: Rendered
  readonly locale: string
}

/** @returns the Message-ID  @throws Conflict when it is not sent; Unavailable when it may be sent later */
export type SendTest = (test: TestMail) => Promise<string>

export function testSender(options: SendTestOptions): SendTest {
  const { mailer, clock, from, replyTo } = options
  return async ({ company, to, rendered, locale }) => {
    const withheld = await withheldFor(options, company, to, undefined)
    if (withheld !== undefined) throw new Conflict(withheld)
    const sender = addressIn(from)
    const messageId = `<test-${randomUUID()}@${sender.split('@').at(-1)!}>`
    const marked = { ...rendered, subject: `[test] ${rendered.subject}` }
    const date = new Date(clock.now())
    const bytes = await mimeOf({ from, replyTo, to, messageId, date, locale, rendered: marked })
    try {
      await mailer.send({ from: sender, to, bytes, messageId })
    } catch (error) {
      if (error instanceof MailRefused && error.isFinal)
        throw new Conflict(`the mail server refuses the mail: ${error.message}`)
      throw new Unavailable('the mail server does not take mails at the moment; try again later')
    }
    return messageId
  }
}
