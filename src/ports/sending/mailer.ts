/** What the service asks of what takes mails: a server, or a folder. */

export interface Mail {
  /** The envelope, which need not be what the mail itself shows. */
  readonly from: string
  readonly to: string
  /** The mail in its MIME form. */
  readonly bytes: Uint8Array
  readonly messageId: string
}

export interface Mailer {
  /**
   * Resolves with the reply once the mail was taken over.
   * @throws MailRefused when it was not taken, for sure; another error: the server did not say, and may have taken it
   */
  send(mail: Mail): Promise<string>
  /** Removes what it still keeps itself of the mail; a server keeps nothing that is ours to remove. */
  forget(messageId: string): Promise<void>
  close(): void
}

/** The receiver said no, or was not reached. */
export class MailRefused extends Error {
  /** It will say no again. */
  readonly isFinal: boolean
  /** Because of the address, so that nothing else need be sent there. */
  readonly isAddress: boolean
  constructor(message: string, { isFinal, isAddress }: { isFinal: boolean; isAddress: boolean }) {
    super(message)
    this.name = 'MailRefused'
    this.isFinal = isFinal
    this.isAddress = isAddress
  }
}
