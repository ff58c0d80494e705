/**
 * Requests that a browser sends by itself (docs/interface.md#session-cookie: the cookie goes with them, from whatever page) change
 * something only when they come from the application or from the service's own pages: their `Origin` is exactly one of
 * these. A bearer token is sent by nobody but its holder and needs no such proof.
 */
import type { Request } from 'express'
import { Refusal } from './problems.ts'

/** Where the pages come from that may change something by cookie, as browsers write it: `https://app.example.com`. */
export interface Origins {
  /** `APP_ORIGIN`; undefined: there is no application. */
  readonly application: string | undefined
  /** The service's own, as clients reach it. */
  readonly own: () => string
}

/** @param publicUrl where clients reach the service; known once it listens */
export function originsOf(application: string | undefined, publicUrl: () => string): Origins {
  return { application, own: () => new URL(publicUrl()).origin }
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * For requests that are authenticated by the cookie.
 * @throws Refusal (403)
 */
export function checkOrigin(request: Request, origins: Origins): void {
  if (SAFE.has(request.method)) return
  if (request.headers.origin === undefined) throw refused(origins)
  checkForeign(request, origins)
}

/**
 * For login and logout, which nobody's page but those may ask for. Clients other than browsers send no `Origin`.
 * @throws Refusal (403)
 */
export function checkForeign({ headers }: Request, origins: Origins): void {
  const { origin, 'sec-fetch-site': site } = headers
  // Only the application may be of another site: what else says so comes from neither.
  if (origin !== undefined && origin === origins.application) return
  if (site === 'cross-site') throw refused(origins)
  if (origin !== undefined && origin !== origins.own()) throw refused(origins)
}

function refused({ application, own }: Origins): Refusal {
  const known = [own(), ...(application === undefined ? [] : [application])].join(' and ')
  return new Refusal({
    status: 403,
    code: 'FORBIDDEN',
    message: `With a session cookie, changes are taken from pages of ${known} only (Origin).`,
  })
}
