/**
 * Which addresses deliveries may reach: public ones, and those that the operator has opened (`WEBHOOK_ALLOW_ADDRESSES`).
 *
 * The same rules are applied to the URL when it is registered, and to the address that a connection is about to be made
 * to. Public means: globally routable by the registries of special-purpose addresses (RFC 6890), in whatever spelling;
 * an address that carries another one inside (IPv4-mapped, NAT64, 6to4, Teredo) is not public.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address range, such as `10.0.0.0/8`. */
export type Range = ReturnType<typeof ipaddr.parseCIDR>

export interface AddressRules {
  /** Whether a connection may be made to this address, as text without brackets. */
  mayReach(address: string): boolean
  /** Whether the operator has opened it on purpose. */
  isOpened(address: string): boolean
  /** Whether the operator has opened any. */
  readonly opensSome: boolean
}

/** Undefined when the text is not a range, written in full: ipaddr.js takes `10/8` for 0.0.0.10/8. */
export function readRange(text: string): Range | undefined {
  return isIP(text.split('/')[0]!) !== 0 && ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined
}

/** Those of the texts that are ranges. */
export const readRanges = (texts: readonly string[]): readonly Range[] =>
  texts.map(readRange).filter((range) => range !== undefined)

export function addressRules(opened: readonly Range[]): AddressRules {
  const isOpened = (address: string) => {
    const parsed = parse(address)
    return (
      parsed !== undefined &&
      opened.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
    )
  }
  return {
    isOpened,
    opensSome: opened.length > 0,
    mayReach: (address) => isOpened(address) || isPublic(address),
  }
}

/** Documentation, benchmarking and the like are `reserved`; what ipaddr.js does not name is `unicast`. */
function isPublic(address: string): boolean {
  const parsed = parse(address)
  if (!parsed || parsed.range() !== 'unicast') return false
  // Global unicast is 2000::/3: everything else of IPv6 is not in use, or local.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3)
}

/** IPv4 in IPv6 clothes is judged as the IPv4 address that a connection would be made to. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.process(address)
}

export type UrlFault = string

/** Names that stand for this machine or this network wherever they are asked. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|in-addr\.arpa|ip6\.arpa|onion)$/

export interface CheckedUrl {
  readonly url: URL
  /** The address that the URL itself names; undefined when it names a host. */
  readonly address: string | undefined
}

/**
 * The URL, if deliveries may be sent to it as far as its text shows; else what is wrong with it. Parsing has turned every
 * spelling of an IPv4 address (decimal, octal, hexadecimal, short) into the usual one.
 */
export function checkUrl(text: string, rules: AddressRules): CheckedUrl | UrlFault {
  if (!URL.canParse(text)) return 'must be an absolute URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (url.hash !== '') return 'must not hold a fragment'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = isIP(host) === 0 ? undefined : host
  if (address !== undefined) {
    if (!rules.mayReach(address)) return 'points to an address that deliveries may not reach'
    if (url.protocol === 'http:' && !rules.isOpened(address)) return 'must begin with https://'
  } else {
    const name = host.toLowerCase().replace(/\.$/, '')
    // A name is judged by what it resolves to; these never lead outside, so there must be something inside to lead to.
    if ((LOCAL_NAME.test(name) || !name.includes('.')) && !rules.opensSome)
      return 'names a host that is not on the internet'
  }
  const port = url.port === '' ? undefined : Number(url.port)
  const isOpened = address !== undefined && rules.isOpened(address)
  if (port !== undefined && port < 1_024 && port !== 443 && port !== 80 && !isOpened)
    return 'has a port that webhooks are not sent to (443, and 1024 and above, are)'
  return { url, address }
}
