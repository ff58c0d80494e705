/** SFTP servers that files may be picked up from: those that the operator has allowed, by the address that is connected to. */
import { lookup } from 'node:dns/promises'
import { Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { openLogin, type Sealing } from './sftp-login.ts'
import type { Source } from './schedule.ts'
import { addressRules, type Range } from '../../webhooks/addresses.ts'

/** What the operator has allowed (IMPORT_SFTP_ALLOW). */
export interface AllowedServers {
  /** As `host:port`, in lower case. */
  readonly hosts: ReadonlySet<string>
  readonly ranges: readonly Range[]
}

type SftpPlaceOf = Extract<Source, { readonly Kind: 'sftp' }>

export interface SftpPlaceOptions {
  readonly allowed: AllowedServers
  readonly sealing: Sealing
  readonly company: Company
  readonly source: SftpPlaceOf
  /** The schedule's, sealed. */
  readonly secret: unknown
}

/** Where to connect, and as which user. @throws Unavailable saying what is missing */
export async function sftpPlace({ allowed, sealing, company, source, secret }: SftpPlaceOptions) {
  const { Port, User, HostKey } = source
  const address = await addressOf(allowed, source)
  const login = openLogin(sealing, company, source, secret)
  if (!login)
    throw new Unavailable(
      'the schedule has nothing to log in with: send Source.Password or Source.PrivateKey',
    )
  return {
    address,
    port: Port,
    user: User,
    hostKey: HostKey ?? undefined,
    password: login.Password,
    privateKey: login.PrivateKey,
    passphrase: login.Passphrase,
  }
}

/**
 * The address to connect to. A host that the operator has named may be at any public address; one within the ranges may be
 * anything. So a name that leads inside, say to the metadata of a cloud, leads nowhere.
 */
async function addressOf({ hosts, ranges }: AllowedServers, { Host, Port }: SftpPlaceOf): Promise<string> {
  const rules = addressRules(ranges)
  const place = `${Host.toLowerCase()}:${Port}`
  const isNamed = hosts.has(place)
  const refused = new Unavailable(`the operator has not allowed the server ${place} (IMPORT_SFTP_ALLOW)`)
  if (!isNamed && !rules.opensSome) throw refused
  const found = await lookup(Host, { all: true }).catch(() => {
    throw new Unavailable(`the host ${Host} is not known`)
  })
  const allowed = found.find(({ address }) => (isNamed ? rules.mayReach(address) : rules.isOpened(address)))
  if (!allowed) throw refused
  return allowed.address
}
