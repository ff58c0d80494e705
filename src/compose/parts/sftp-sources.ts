/** SFTP servers that files may be picked up from: those that the operator has allowed, by the address that is connected to. */
import { lookup } from 'node:dns/promises'
import { sftpSource } from '../../adapters/sftp/file-source.ts'
import type { Config } from '../../config.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { openLogin, type Sealing } from '../../imports/schedules/sftp-login.ts'
import type { Source } from '../../imports/schedules/schedule.ts'
import type { FileSource } from '../../ports/sources/file-source.ts'
import { addressRules } from '../../webhooks/addresses.ts'

type Allowed = Pick<Config, 'IMPORT_SFTP_ALLOW'>
type SftpPlaceOf = Extract<Source, { readonly Kind: 'sftp' }>

export interface OpenSftp {
  readonly config: Allowed
  readonly sealing: Sealing
  readonly company: Company
  readonly source: SftpPlaceOf
  /** The schedule's, sealed. */
  readonly secret: unknown
}

/** @throws Unavailable saying what is missing */
export async function openSftp({ config, sealing, company, source, secret }: OpenSftp): Promise<FileSource> {
  const { Port, User, HostKey, Path } = source
  const address = await addressOf(config, source)
  const login = openLogin(sealing, company, source, secret)
  if (!login)
    throw new Unavailable(
      'the schedule has nothing to log in with: send Source.Password or Source.PrivateKey',
    )
  return sftpSource(
    {
      address,
      port: Port,
      user: User,
      hostKey: HostKey ?? undefined,
      password: login.Password,
      privateKey: login.PrivateKey,
      passphrase: login.Passphrase,
    },
    Path,
  )
}

/**
 * The address to connect to. A host that the operator has named may be at any public address; one within the ranges may be
 * anything. So a name that leads inside, say to the metadata of a cloud, leads nowhere.
 */
async function addressOf({ IMPORT_SFTP_ALLOW }: Allowed, { Host, Port }: SftpPlaceOf): Promise<string> {
  const rules = addressRules(IMPORT_SFTP_ALLOW.ranges)
  const place = `${Host.toLowerCase()}:${Port}`
  const isNamed = IMPORT_SFTP_ALLOW.hosts.has(place)
  const refused = new Unavailable(`the operator has not allowed the server ${place} (IMPORT_SFTP_ALLOW)`)
  if (!isNamed && !rules.opensSome) throw refused
  const found = await lookup(Host, { all: true }).catch(() => {
    throw new Unavailable(`the host ${Host} is not known`)
  })
  const allowed = found.find(({ address }) => (isNamed ? rules.mayReach(address) : rules.isOpened(address)))
  if (!allowed) throw refused
  return allowed.address
}
