/** The cookie of a session, to the letter of specification 5.1. */

export const COOKIE = '.svc.auth'

/** `domain`: the parent domain with a leading dot; undefined: only the host that set it gets it back. */
export function setCookie(value: string, domain: string | undefined): string {
  return `${COOKIE}=${value}; ${attributes(domain)}`
}

/** The same name, domain and path, or browsers would keep the other. */
export function clearCookie(domain: string | undefined): string {
  return `${COOKIE}=; ${attributes(domain)}; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}

function attributes(domain: string | undefined): string {
  return `${domain === undefined ? '' : `Domain=${domain}; `}Path=/; HttpOnly; Secure; SameSite=None`
}

/**
 * Every value that the request's `Cookie` header has under that name. Each request has its header searched, and the cookie
 * is long: nothing is copied but the value.
 */
export function cookiesIn(header: string | undefined): readonly string[] {
  const values: string[] = []
  if (header === undefined) return values
  for (let from = 0, end = 0; end < header.length; from = end + 1) {
    const semicolon = header.indexOf(';', from)
    end = semicolon === -1 ? header.length : semicolon
    const at = afterBlanks(header, from)
    if (!header.startsWith(COOKIE, at)) continue
    const equals = afterBlanks(header, at + COOKIE.length)
    if (header[equals] === '=') values.push(header.slice(equals + 1, end).trim())
  }
  return values
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}
