/**
 * What a schedule logs in to an SFTP server with. It is sealed for the server and the user: put beside another host it does
 * not open, so that a person who may change the schedule cannot send the password elsewhere.
 */
import type { Company } from '../../domain/events/event.ts'

export interface SftpLogin {
  readonly Password?: string | undefined
  readonly PrivateKey?: string | undefined
  readonly Passphrase?: string | undefined
}

export interface SftpPlace {
  readonly Host: string
  readonly Port: number
  readonly User: string
}

/** `identity/secrets/sealed-secrets.ts` */
export interface Sealing {
  seal(secret: string, owner: string): string
  open(sealed: string, owner: string): string
}

const ownerOf = (company: Company, { Host, Port, User }: SftpPlace) =>
  `import schedules of ${company}: ${JSON.stringify([Host, Port, User])}`

export const sealLogin = (sealing: Sealing, company: Company, place: SftpPlace, login: SftpLogin): string =>
  sealing.seal(JSON.stringify(login), ownerOf(company, place))

/** Undefined where there is none, it belongs to another place, or its key is not known here. */
export function openLogin(
  sealing: Sealing,
  company: Company,
  place: SftpPlace,
  sealed: unknown,
): SftpLogin | undefined {
  if (typeof sealed !== 'string') return undefined
  try {
    return JSON.parse(sealing.open(sealed, ownerOf(company, place))) as SftpLogin
  } catch {
    return undefined
  }
}
