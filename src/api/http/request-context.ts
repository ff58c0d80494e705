/** What every route knows about its request: who asks, and by which id it is found in the log. */
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import { invalid } from '../../domain/errors.ts'
import type { Grant } from '../../domain/grant.ts'
import type { Admitted, Authenticate, Credential, Principal } from '../../identity/principal.ts'
import { cookiesIn, setCookie } from '../../identity/sessions/session-cookie.ts'
import { checkOrigin, type Origins } from './csrf.ts'
import { bodyBytes } from './body/json-body.ts'
import { sentValue, withoutHeaderParameters } from './header-parameters.ts'
import { unauthorized } from './problems.ts'
import { alsoSend, arrivalOf } from './send.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const MAX_REASON = 1_000
/** Of a `Cookie` header, in characters: a session cookie has some 400. */
const MOST_REMEMBERED = 2_000

declare module 'express-serve-static-core' {
  interface Locals {
    /** Once it is known who asks. */
    principal?: Principal
    /** How far the policy of the route lets it reach. */
    grant?: Grant
  }
}

export interface Authentication {
  readonly authenticate: Authenticate
  /** Whose pages may change something by the cookie. */
  readonly origins: Origins
  /** Of the session's cookie; undefined: the host alone. */
  readonly cookieDomain: string | undefined
}

/** Lets only requests with a valid token or session pass (docs/interface.md#session-cookie). */
export function authenticated({ authenticate, origins, cookieDomain }: Authentication): RequestHandler {
  const admit = (request: Request, response: Response, admitted: Admitted | undefined) => {
    if (!admitted) throw unauthorized()
    const { principal, renewed, tokenExpires } = admitted
    if (principal.session !== undefined) checkOrigin(request, origins)
    response.locals.principal = principal
    if (renewed !== undefined) alsoSend(response, 'Set-Cookie', setCookie(renewed, cookieDomain))
    if (tokenExpires !== undefined) alsoSend(response, 'X-Token-Expires', timestampOf(tokenExpires))
  }
  return (request, response, next) => {
    const credential = credentialOf(request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const admitted = credential && authenticate(credential, isRead)
    const enter = (found: Admitted | undefined) => {
      admit(request, response, found)
      next()
    }
    return admitted instanceof Promise ? admitted.then(enter) : enter(admitted)
  }
}

/** An `Authorization` header that says anything says it all, even when it is of no use. */
export function credentialOf({ headers, socket }: IncomingMessage): Credential | undefined {
  const { authorization, cookie } = headers
  if (authorization) {
    const token = authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : ''
    return token === '' ? undefined : { bearer: token }
  }
  return cookie === undefined ? undefined : sessionIn(cookie, socket)
}

/** What the `Cookie` header came to that was last on a connection: the next is mostly the same, and a cookie is long. */
const lastOn = new WeakMap<Socket, { readonly header: string; readonly credential: Credential | undefined }>()

/** Of two session cookies one is not ours: neither counts. */
function sessionIn(header: string, socket: Socket): Credential | undefined {
  const last = lastOn.get(socket)
  if (last?.header === header) return last.credential
  const cookies = cookiesIn(header)
  const credential = cookies.length === 1 && cookies[0] ? { cookie: cookies[0] } : undefined
  // Ten thousand connections may be open: what they hold is bounded.
  if (header.length <= MOST_REMEMBERED) lastOn.set(socket, { header, credential })
  return credential
}

export function principalOf(response: Response): Principal {
  return response.locals.principal!
}

/** The caller of a command that this request asks for; it reaches as far as the route's policy has granted. */
export function callerOf(request: Request, response: Response): Caller {
  const { company, actor, person, access } = principalOf(response)
  return {
    company,
    actor,
    person,
    correlation: arrivalOf(response).id,
    command: randomUUID(),
    reason: reasonOf(request),
    grant: response.locals.grant,
    reads: (object) => access.grant(object, 'read'),
  }
}

/** `Daybook-Reason` or `reason`: text that is kept with the change. Of a read the parameter is a filter, as of the audit. */
function reasonOf(request: Request): string | undefined {
  const { method, headers } = request
  const sent = sentValue(method === 'GET' ? { headers } : request, 'reason', decodedReason)
  return sent && readReason(sent.name, sent.value)
}

/**
 * As a header it is UTF-8, as it is or percent-encoded.
 * @throws Invalid for bytes that are not UTF-8: what is kept for ever must be what was meant
 */
function decodedReason(bytes: string): string {
  // A character of four bytes is twelve when it is percent-encoded.
  if (bytes.length > MAX_REASON * 12)
    throw invalid('Daybook-Reason', `is longer than ${MAX_REASON} characters`)
  const text = ofUtf8(bytes)
  if (text === undefined) throw invalid('Daybook-Reason', 'must be UTF-8, or percent-encoded: %C3%A9 for é')
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25'))
  } catch {
    return text
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Node hands out a header's bytes as characters, one each. Undefined: they are not UTF-8. */
function ofUtf8(bytes: string): string | undefined {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

/**
 * A reason as it is kept with a change: storable text of at most 1,000 characters; blanks alone do not count.
 * @throws Invalid naming the header or field that it came in
 */
export function readReason(name: string, reason: string): string | undefined {
  if (reason.length > MAX_REASON && [...reason].length > MAX_REASON)
    throw invalid(name, `is longer than ${MAX_REASON} characters`)
  if (reason.includes('\0') || !reason.isWellFormed())
    throw invalid(name, 'holds characters that cannot be stored')
  return reason.trim() === '' ? undefined : reason
}

/** @throws Invalid when it is not 1 to 255 visible ASCII characters */
export function idempotencyKeyOf(request: Request): string | undefined {
  const sent = sentValue(request, 'idempotencyKey')
  if (sent === undefined) return undefined
  if (!IDEMPOTENCY_KEY.test(sent.value)) throw invalid(sent.name, 'must be 1 to 255 visible ASCII characters')
  return sent.value
}

/** Everything that makes it this request and not another. */
export function fingerprintOf(request: Request): string {
  const { method, originalUrl } = request
  const version = sentValue(request, 'ifMatch')?.value ?? ''
  const ifNoneMatch = request.get('If-None-Match')
  const conditions = ifNoneMatch === undefined ? [] : [ifNoneMatch]
  return createHash('sha256')
    .update(JSON.stringify([method, withoutHeaderParameters(originalUrl), version, ...conditions]))
    .update(bodyBytes(request))
    .digest('hex')
}
