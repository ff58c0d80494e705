/** Settings of the way in: who may come in plain HTTP, whose word about clients is taken, which application is let in. */
import { isIP } from 'node:net'
import { z } from 'zod'

/** What browsers send as `Origin`, to the letter. */
export const origin = z
  .string()
  .refine(
    (value) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value,
    'must be an origin such as https://app.example.com, in lower case and without anything after it',
  )

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const NO_PROXY = `must be a number of proxies (1 to 9), or addresses, CIDRs or ${NAMED_NETWORKS.join(', ')}, separated by commas`

/** How many proxies there are, or where they are. */
export const proxies = z
  .string()
  .refine((text) => /^[1-9]$/.test(text) || namesOf(text).every(isNetwork), NO_PROXY)
  .transform((text): number | readonly string[] => (/^[1-9]$/.test(text) ? Number(text) : namesOf(text)))

const namesOf = (list: string) => list.split(',').map((one) => one.trim())

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  if (more.length > 0 || isIP(address) === 0) return NAMED_NETWORKS.includes(text)
  // A prefix of 0 would let everyone say where a request comes from.
  const bits = isIP(address) === 6 ? 128 : 32
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}

export interface TransportSettings {
  readonly HOST: string
  readonly TLS_CERT?: string | undefined
  readonly TLS_KEY?: string | undefined
  readonly TRUST_PROXY?: number | readonly string[] | undefined
}

/** What is wrong with them together: plain HTTP does not leave the machine but by a known proxy (specification 5.4). */
export function transportFault({
  HOST,
  TLS_CERT,
  TLS_KEY,
  TRUST_PROXY,
}: TransportSettings): string | undefined {
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined)) return 'TLS_CERT and TLS_KEY: one needs the other'
  const safe = TLS_CERT !== undefined || TRUST_PROXY !== undefined || isLoopback(HOST)
  if (safe) return undefined
  return (
    `HOST: plain HTTP is not served on ${HOST}, where others could read it. Set TLS_CERT and TLS_KEY; or, with a proxy ` +
    'in front that ends the TLS, TRUST_PROXY to its addresses; or leave HOST on loopback'
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
