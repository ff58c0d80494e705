/** The bytes of a mail. The same message gives the same bytes, so that one that is sent again can be known as the same. */
import { hash } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import type { Rendered } from '../templates/render.ts'

export interface MimeOptions {
  readonly from: string
  readonly replyTo?: string | undefined
  readonly to: string
  readonly messageId: string
  readonly date: Date
  readonly locale: string
  readonly rendered: Rendered
  /** Where recipients may unsubscribe; undefined: they cannot. */
  readonly unsubscribe?: string | undefined
}

export async function mimeOf(options: MimeOptions): Promise<Buffer> {
  const { from, replyTo, to, messageId, date, rendered, unsubscribe, locale } = options
  const mail = new MailComposer({
    from,
    ...(replyTo !== undefined && { replyTo }),
    to: { name: '', address: to },
    messageId,
    date,
    subject: rendered.subject,
    text: rendered.text,
    html: rendered.body,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'Content-Language': locale,
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    baseBoundary: hash('sha256', messageId).slice(0, 16),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return mail.compile().build()
}

const ADDRESS_IN = /<([^<>]+)>\s*$/

/** The address of `Name <address>`. */
export const addressIn = (from: string): string => ADDRESS_IN.exec(from)?.[1] ?? from
