/** What every route knows about its request: who asks, and by which id it is found in the log. */
import { createHash, randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../commands/command.ts'
import { invalid } from '../domain/errors.ts'
import type { Grant } from '../domain/grant.ts'
import type { Authenticate, Principal } from '../identity/principal.ts'
import { bodyBytes } from './json-body.ts'
import { unauthorized } from './problems.ts'
import { arrivalOf } from './send.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const MAX_REASON = 1_000

/** Lets only requests with a valid bearer token pass (specification 5.2). */
export function authenticated(authenticate: Authenticate): RequestHandler {
  return (request, response, next) => {
    const header = request.headers.authorization
    const token = header?.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : ''
    const principal = token ? authenticate(token) : undefined
    if (!principal) throw unauthorized()
    response.locals['principal'] = principal
    next()
  }
}

export function principalOf(response: Response): Principal {
  return response.locals['principal'] as Principal
}

/** The caller of a command that this request asks for; it reaches as far as the route's policy has granted. */
export function callerOf(request: Request, response: Response): Caller {
  const { company, actor, access } = principalOf(response)
  return {
    company,
    actor,
    correlation: arrivalOf(response).id,
    command: randomUUID(),
    reason: reasonOf(request),
    grant: response.locals['grant'] as Grant | undefined,
    reads: (object) => access.grant(object, 'read'),
  }
}

/** `Daybook-Reason`: text that is kept with the change; percent-encoded where it is not ASCII. */
function reasonOf(request: Request): string | undefined {
  const header = request.headers['daybook-reason']
  if (header === undefined) return undefined
  const text = String(header)
  // A character of four bytes is twelve when it is percent-encoded.
  if (text.length > MAX_REASON * 12)
    throw invalid('Daybook-Reason', `is longer than ${MAX_REASON} characters`)
  let reason: string
  try {
    reason = decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25'))
  } catch {
    reason = text
  }
  return readReason('Daybook-Reason', reason)
}

/**
 * A reason as it is kept with a change: storable text of at most 1,000 characters.
 * @throws Invalid naming the header or field that it came in
 */
export function readReason(name: string, reason: string): string {
  if (reason.length > MAX_REASON && [...reason].length > MAX_REASON)
    throw invalid(name, `is longer than ${MAX_REASON} characters`)
  if (reason.includes('\0') || !reason.isWellFormed())
    throw invalid(name, 'holds characters that cannot be stored')
  return reason
}

/** @throws Invalid when it is not 1 to 255 visible ASCII characters */
export function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
  return key
}

/** Everything that makes it this request and not another. */
export function fingerprintOf(request: Request): string {
  const { method, originalUrl, headers } = request
  return createHash('sha256')
    .update(JSON.stringify([method, originalUrl, headers['if-match'] ?? '']))
    .update(bodyBytes(request))
    .digest('hex')
}
