/** `/api/v1/identity/login` and `/logout` (docs/interface.md, "Login and logout"), which need no authentication. */
import { Router, type RequestHandler } from 'express'
import { Busy, Invalid } from '../../domain/errors.ts'
import { plainEmail, type LogIn } from '../../identity/sessions/log-in.ts'
import type { LoginLimits } from './login-limits.ts'
import { clearCookie, cookiesIn, setCookie } from '../../identity/sessions/session-cookie.ts'
import { readBody } from '../../shapes/body.ts'
import { jsonBody } from '../http/body/json-body.ts'
import { checkForeign, checkOrigin, type Origins } from '../http/csrf.ts'
import { noParameters } from '../records/list-query.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { needsNoGrant } from '../policy.ts'
import { loginBody } from './openapi/login.ts'
import { Refusal, unauthorized } from '../http/problems.ts'
import { alsoSend, arrivalOf, sendJson, success } from '../http/send.ts'
import { clientAddress } from '../http/transport.ts'

export interface LoginRoutes {
  readonly logIn: LogIn
  readonly limits: LoginLimits
  /** Of the cookie; undefined: the host alone. */
  readonly cookieDomain: string | undefined
  readonly origins: Origins
  /** Key of the company that is meant where a login names none: the only one there is; undefined where there are several. */
  readonly onlyCompany: () => Promise<string | undefined>
}

const LIMIT = 16_384

export function loginRoutes({ logIn, limits, cookieDomain, origins, onlyCompany }: LoginRoutes): Router {
  const login: RequestHandler = async (request, response) => {
    noParameters(request)
    checkForeign(request, origins)
    const { Email, Password, ...named } = readBody(loginBody, request.body, 'The login is not valid.')
    const CompanyKey = named.CompanyKey ?? (await onlyCompany())
    if (CompanyKey === undefined)
      throw new Invalid('The login is not valid.', [{ Field: 'CompanyKey', Message: 'is required' }])
    const attempt = { address: clientAddress(request), company: CompanyKey, email: plainEmail(Email) }
    checkLimits(limits, attempt)
    const asked = {
      email: Email,
      password: Password,
      companyKey: CompanyKey,
      correlation: arrivalOf(response).id,
    }
    const loggedIn = await logIn.logIn(asked).catch((error: unknown) => {
      limits.withdraw(attempt)
      throw error instanceof Busy ? tooMany('Too many logins are under way.', 1) : error
    })
    if (!loggedIn) throw failed()
    limits.succeeded(attempt)
    alsoSend(response, 'Set-Cookie', setCookie(loggedIn.cookie, cookieDomain))
    sendJson(response, 200, success(JSON.stringify(loggedIn.user)))
  }

  /** May be repeated. The body does not matter. */
  const logout: RequestHandler = async (request, response) => {
    noParameters(request)
    checkForeign(request, origins)
    const cookies = cookiesIn(request.headers.cookie).slice(0, 10)
    if (cookies.length > 0) checkOrigin(request, origins)
    for (const cookie of cookies) await logIn.logOut(cookie, arrivalOf(response).id)
    alsoSend(response, 'Set-Cookie', clearCookie(cookieDomain))
    sendJson(response, 200, success('{}'))
  }

  const router = Router({ caseSensitive: true })
  const open = needsNoGrant('open')
  refuseOthers(router.route('/login').post(open, jsonBody(LIMIT), login))
  refuseOthers(router.route('/logout').post(open, logout))
  return router
}

/** @throws Refusal (429) after too many attempts */
export function checkLimits(limits: LoginLimits, attempt: Parameters<LoginLimits['begin']>[0]): void {
  const wait = limits.begin(attempt)
  if (wait === undefined) return
  throw tooMany('Too many attempts to log in.', wait)
}

function tooMany(what: string, seconds: number): Refusal {
  return new Refusal({
    status: 429,
    code: 'RATE_LIMITED',
    message: `${what} Try again later.`,
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The same answer for every cause (docs/open-facts.md 27). */
function failed(): Refusal {
  const { problem } = unauthorized()
  return new Refusal({ ...problem, message: 'The e-mail address, the password or the company is wrong.' })
}
