/** Mails by SMTP. One recipient a transaction, so that none is half sent; connections are used again. */
import { createTransport } from 'nodemailer'
import { MailRefused, type Mailer } from '../../ports/sending/mailer.ts'

const LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000 }
const SILENCE_MS = 30_000

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, `smtps://…:465` */
  readonly url: string
  /** For how long the server may be silent. */
  readonly socketTimeoutMs?: number | undefined
  readonly dkim?: { readonly domain: string; readonly selector: string; readonly key: string } | undefined
}

export function smtpMailer({ url, dkim, socketTimeoutMs = SILENCE_MS }: SmtpOptions): Mailer {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host: hostname,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    pool: true,
    maxConnections: 5,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    // Passwords go over TLS only, unless the server is this machine.
    requireTLS: username !== '' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname),
    ...(searchParams.get('insecure') === 'true' && { tls: { rejectUnauthorized: false } }),
    ...(dkim && { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.key } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...LIMITS,
    socketTimeout: socketTimeoutMs,
  })
  return {
    async send({ from, to, bytes }) {
      try {
        const sent = await transport.sendMail({ envelope: { from, to }, raw: Buffer.from(bytes) })
        return sent.response
      } catch (error) {
        throw refusalIn(error) ?? error
      }
    },
    forget: async () => {},
    close: () => transport.close(),
  }
}

/**
 * Commands before the mail itself: where one of them fails, nothing was taken. `CONN` is not one of them: a connection that
 * is cut after the mail is named so, too.
 */
const BEFORE_DATA = /^(EHLO|HELO|LHLO|STARTTLS|AUTH.*|MAIL FROM|RCPT TO)$/
/** System calls that fail where there is no connection yet. */
const NOT_REACHED = /^(connect|getaddrinfo)$/

/** That the mail was not taken, and why; undefined where that is not known. */
function refusalIn(error: unknown): MailRefused | undefined {
  const { responseCode, command, syscall, response, message } = error as {
    responseCode?: number
    command?: string
    syscall?: string
    response?: string
    message?: string
  }
  if (responseCode === undefined || responseCode < 400) {
    const isBefore = NOT_REACHED.test(syscall ?? '') || BEFORE_DATA.test(command ?? '')
    return isBefore ? new MailRefused(message ?? '', { isFinal: false, isAddress: false }) : undefined
  }
  const isFinal = responseCode >= 500
  const isAddress = isFinal && command === 'RCPT TO' && [550, 551, 553].includes(responseCode)
  return new MailRefused((response ?? String(responseCode)).slice(0, 1_000), { isFinal, isAddress })
}
