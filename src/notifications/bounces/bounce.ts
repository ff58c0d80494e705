/** A report about a mail that was taken and came back: what all kinds of reports come to. */

export interface Bounce {
  /** Key of the message, where the report names it. */
  readonly message?: string | undefined
  /** The address that it was for; of a report that names no message. */
  readonly address?: string | undefined
  /** The address will not take mails later either: nothing is sent there any more. */
  readonly isAddress: boolean
  readonly reason: string
}

const MESSAGE = /notification-[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}/

/** The Key of a message in a return path, a Message-ID or an envelope id. */
export const messageIn = (text: string): string | undefined => MESSAGE.exec(text)?.[0]
