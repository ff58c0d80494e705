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

/** Every value that the request's `Cookie` header has under that name. */
export function cookiesIn(header: string | undefined): readonly string[] {
  if (!header?.includes(COOKIE)) return []
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=')
    return at > 0 && part.slice(0, at).trim() === COOKIE ? [part.slice(at + 1).trim()] : []
  })
}
