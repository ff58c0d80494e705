/** `/api/v1/identity/me`: the principal itself. Users may change their own name and password. */
import { Router, type RequestHandler, type Response } from 'express'
import type { WriteRecords } from '../../commands/write-records.ts'
import { Forbidden } from '../../domain/errors.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { CurrentStates } from '../../identity/current-states.ts'
import type { LogIn, UserRecord } from '../../identity/sessions/log-in.ts'
import type { LoginLimits } from './login-limits.ts'
import { user as userObject } from '../../identity/objects.ts'
import type { Passwords } from '../../identity/secrets/passwords.ts'
import { setCookie } from '../../identity/sessions/session-cookie.ts'
import type { Users } from '../../identity/users.ts'
import { readBody } from '../../shapes/body.ts'
import { jsonBody } from '../http/body/json-body.ts'
import { noParameters } from '../records/list-query.ts'
import { meChange, mePaths, meSchemas } from './openapi/me.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { needsNoGrant } from '../policy.ts'
import { callerOf, principalOf } from '../http/request-context.ts'
import { alsoSend, sendJson, success } from '../http/send.ts'
import { clientAddress } from '../http/transport.ts'
import { checkLimits } from './login.ts'
import type { IdentityPart } from './part.ts'

export interface Me {
  readonly current: CurrentStates
  readonly logIn: LogIn
  readonly limits: LoginLimits
  readonly passwords: Passwords
  readonly users: Users
  readonly write: Pick<WriteRecords, 'update'>
  readonly cookieDomain: string | undefined
}

const LIMIT = 16_384

export function mePart({ current, logIn, limits, passwords, users, write, cookieDomain }: Me): IdentityPart {
  const get: RequestHandler = (request, response) => {
    noParameters(request)
    sendJson(response, 200, success(JSON.stringify(recordOf(response))))
  }

  const patch: RequestHandler = async (request, response) => {
    noParameters(request, ['reason'])
    const { company, actor, email = '', session } = principalOf(response)
    if (!isKeyOf('user', actor)) throw new Forbidden('A token is changed at /api/v1/identity/tokens.')
    const { Name, Password, CurrentPassword } = readBody(meChange, request.body, 'The change is not valid.')
    const record = recordOf(response)
    const caller = callerOf(request, response)
    if (Password !== undefined) {
      const attempt = { address: clientAddress(request), company, email }
      checkLimits(limits, attempt)
      const { fields } = await current.load(company, actor)
      const hash = fields['PasswordHash'] as string | undefined
      if (!(await passwords.verify(CurrentPassword!, hash, company)))
        throw new Forbidden('CurrentPassword is not your password.', [
          { Field: 'CurrentPassword', Message: 'is not the password' },
        ])
      limits.succeeded(attempt)
      const { state } = await users.setPassword(caller, actor, Password)
      // Every session has ended with the old password, this one too: a new one takes its place.
      if (session !== undefined) {
        const cookie = await logIn.beginSession(callerOf(request, response), actor, state)
        alsoSend(response, 'Set-Cookie', setCookie(cookie, cookieDomain))
      }
    }
    if (Name !== undefined) {
      const change = { definition: userObject, key: actor, body: { Name }, writing: 'replace' } as const
      await write.update(callerOf(request, response), change)
    }
    const changed = { ...record, ...(typeof Name === 'string' && { Name }) }
    sendJson(response, 200, success(JSON.stringify(changed)))
  }

  const router = Router({ caseSensitive: true })
  const own = needsNoGrant('self')
  refuseOthers(router.route('/me').get(own, get).patch(own, jsonBody(LIMIT), patch))
  return { router, paths: mePaths, schemas: meSchemas }
}

/** docs/interface.md, "User record"; for a token, its name and roles. */
function recordOf(response: Response): UserRecord {
  const { company, companyName, actor, email, name, roles } = principalOf(response)
  return {
    Id: actor,
    Email: email ?? null,
    Name: name,
    Company: { Id: company, Name: companyName },
    Roles: roles,
  }
}
