/** Settings that are addresses of servers. */
import { z } from 'zod'

const NOT_ENCODED = 'is not a valid URL: percent-encode special characters in user and password'

const HOST = /^(?:\[[0-9a-f:.%]+\]|[^\s:[\]]+)(?::(?<port>\d*))?$/i

/**
 * `scheme://[user:password@]host[:port][,host[:port]…][/…][?…]`, checked here so that a mistake reads the same whatever the
 * driver is; the driver's own objections come later (`compose/server-urls.ts`). A message never repeats a part of the URL: it
 * could be the password. `schemes`: those accepted, without `://`.
 */
export function serverUrl(schemes: readonly [string, ...string[]]) {
  const starts = schemes.map((scheme) => `${scheme}://`)
  return z.string().check((context) => {
    const fault = faultOf(context.value, starts)
    if (fault !== undefined)
      context.issues.push({ code: 'custom', message: fault, input: context.value, continue: false })
  })
}

/** What is wrong with the URL; undefined when it looks right. */
function faultOf(url: string, starts: readonly string[]): string | undefined {
  const start = starts.find((one) => url.startsWith(one))
  if (start === undefined) return `must begin with ${starts.join(' or ')}`
  if (/%(?![0-9a-f]{2})/i.test(url)) return NOT_ENCODED
  const [, authority = '', rest = ''] = /^([^/?#]*)([^?]*)/.exec(url.slice(start.length)) ?? []
  const [hosts = '', user, another] = authority.split('@').reverse()
  // A `/` or `@` inside the password would end it for a parser.
  if (another !== undefined || rest.includes('@') || (user?.split(':').length ?? 0) > 2) return NOT_ENCODED
  if (hosts === '') return 'must name a host'
  for (const host of hosts.split(',')) {
    const found = HOST.exec(host)
    if (!found)
      return 'must name hosts as host or host:port, and percent-encode special characters in user and password'
    const { port } = found.groups ?? {}
    if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))
      return 'must name a port from 1 to 65535, or none'
  }
  return undefined
}
