/** The cookie of a session (docs/interface.md, "Session cookie"). */

export const COOKIE = '.svc.auth'

/** `domain`: the parent domain with a leading dot; undefined: the cookie is for this host only. */
export function setCookie(value: string, domain: string | undefined): string {
  return `${COOKIE}=${value}; ${attributes(domain)}`
}

/** Has the same name, domain and path as the cookie set, or browsers would keep that. */
export function clearCookie(domain: string | undefined): string {
  return `${COOKIE}=; ${attributes(domain)}; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}

function attributes(domain: string | undefined): string {
  return `${domain === undefined ? '' : `Domain=${domain}; `}Path=/; HttpOnly; Secure; SameSite=None`
}

/**
 * Every session cookie in a `Cookie` header. It is called for each request and the cookie is long, so that only the value is
 * copied.
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
