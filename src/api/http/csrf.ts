/**
 * Requests that a browser sends by itself (docs/interface.md#session-cookie: the cookie goes with them, from whatever page) change
 * something only when they come from the application: their `Origin` is exactly `APP_ORIGIN`. A bearer token is sent by
 * nobody but its holder and needs no such proof.
 */
import type { Request } from 'express'
import { Refusal } from './problems.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * For requests that are authenticated by the cookie. Without an `APP_ORIGIN` none of them may change anything.
 * @throws Refusal (403)
 */
export function checkOrigin(request: Request, appOrigin: string | undefined): void {
  if (SAFE.has(request.method)) return
  const { origin } = request.headers
  if (appOrigin !== undefined && origin === appOrigin) return
  throw new Refusal({
    status: 403,
    code: 'FORBIDDEN',
    message: 'with a session cookie, changes are taken from the application only (Origin)',
  })
}
