/**
 * How a request came here (docs/open-facts.md 63): by TLS, from a proxy that ended the TLS, or in plain from this
 * machine. Only proxies that `TRUST_PROXY` names are believed in what they say about the client.
 */
import { isIP } from 'node:net'
import type { Request } from 'express'
import { Refusal } from './problems.ts'

/** How many proxies stand in front, or their addresses: IPs, CIDRs, `loopback`, `linklocal`, `uniquelocal`. */
export type TrustProxy = number | readonly string[]

export interface TransportOptions {
  /** This process ends the TLS itself. */
  readonly tls: boolean
  readonly trustProxy: TrustProxy | undefined
}

/**
 * Makes the function that says whether a request came by TLS, and refuses those that should have. Express has to know
 * `trust proxy`. Health is open to all: probes come from the machine's own network.
 * @throws Refusal (403), in the function that is returned
 */
export function transportJudge({ tls, trustProxy }: TransportOptions): (request: Request) => boolean {
  if (tls) return () => true
  // The service listens on loopback only then: `config.ts` makes sure of that.
  if (trustProxy === undefined) return () => false
  return (request) => {
    if (request.secure) return true
    const forwarded = request.headers['x-forwarded-proto'] !== undefined
    const isProxy = trusts(request)
    if ((isProxy && !forwarded) || (!isProxy && isLoopback(request.socket.remoteAddress))) return false
    if (request.path.startsWith('/api/v1/health/')) return false
    throw new Refusal({
      status: 403,
      code: 'FORBIDDEN',
      message: isProxy
        ? 'The service is available over HTTPS only.'
        : 'The service is available over HTTPS only; plain HTTP is accepted from the proxies of TRUST_PROXY.',
    })
  }
}

/** Whether the other end of the connection is a proxy of `TRUST_PROXY`. */
function trusts(request: Request): boolean {
  const trust = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean
  return trust(request.socket.remoteAddress, 0)
}

/**
 * The client's address, for limits by address: that of the connection, or what a trusted proxy saw. Of an IPv6 address
 * only the network (/64): one client has all of it.
 */
export function clientAddress(request: Request): string {
  // Some proxies add the port.
  const given = (request.ip ?? '').replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3')
  const address = isIP(given) ? given : (request.socket.remoteAddress ?? '')
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  return isIP(address) === 6 ? network(address) : address
}

/** The first four groups of an IPv6 address, each without leading zeros. */
function network(address: string): string {
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const known = groups(start)
  const missing = end === undefined ? 0 : 8 - known.length - groups(end).length
  const all = [...known, ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(end ?? '')]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Headers by which proxies and content networks pass on the client's address. */
const OF_PROXIES =
  /^(?:x-)?(?:forwarded|original-|real-ip|client-ip|cluster-client-ip)|^via$|-connecting-ip$|^true-client-ip$/
/** Names of this machine itself, with or without a port. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * Whether a client on this machine asks, without a proxy in between: a proxy on the same machine is known by a
 * forwarding header, or by a `Host` that is not loopback's.
 */
export function isLocal({ headers, socket }: Request): boolean {
  if (!isLoopback(socket.remoteAddress) || !LOOPBACK_HOST.test(headers.host ?? '')) return false
  return !Object.keys(headers).some((name) => OF_PROXIES.test(name))
}

function isLoopback(address = ''): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address)
}
