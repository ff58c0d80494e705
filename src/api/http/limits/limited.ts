/**
 * Requests held to the rate limits: who is known by principal, who is not by address. Every such answer says what is left
 * (`RateLimit`, `RateLimit-Policy`, draft-ietf-httpapi-ratelimit-headers-10), and a refusal when to come again
 * (`Retry-After`, always, in whole seconds).
 *
 * A request counts once, however many records a batch has. Health is not limited, and neither is the machine itself.
 */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { Refusal } from '../problems.ts'
import type { RateLimits } from './rate-limits.ts'
import { principalOf } from '../request-context.ts'
import { alsoSend } from '../send.ts'
import { clientAddress } from '../transport.ts'

/** Where the routes that are open to all find the limits: `openToAll`. */
const NAME = 'rateLimits'

/** The guard, and after it the limit of the principal that it has found. */
export function limitedByPrincipal(guard: RequestHandler, limits: RateLimits | undefined): RequestHandler {
  if (!limits) return guard
  return (request, response, next) =>
    guard(request, response, (error?: unknown) => {
      if (error !== undefined) return next(error)
      charge(limits, response, principalOf(response).actor)
      next()
    })
}

/** Counts a request against its address. @throws Refusal (429) */
export function chargeAddress(request: Request, response: Response): void {
  const limits = response.app.locals[NAME] as RateLimits | undefined
  if (limits) charge(limits, response, `address ${clientAddress(request)}`)
}

/** Makes the limits known to `chargeAddress`. */
export function limitAddresses(
  app: { readonly locals: Record<string, unknown> },
  limits: RateLimits | undefined,
) {
  app.locals[NAME] = limits
}

/** Who is refused for not being known counts too: tokens and passwords are not to be guessed at any speed. */
export const chargeUnauthorized: ErrorRequestHandler = (error: unknown, request, response, next) => {
  const unknown = error instanceof Refusal && error.problem.status === 401
  if (unknown && response.locals['charged'] === undefined) chargeAddress(request, response)
  next(error)
}

function charge(limits: RateLimits, response: Response, key: string): void {
  response.locals['charged'] = true
  const { waitMs, left, fullMs } = limits.take(key)
  alsoSend(response, 'RateLimit-Policy', limits.policy)
  alsoSend(response, 'RateLimit', `"burst";r=${left};t=${Math.ceil(fullMs / 1_000)}`)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new Refusal({
    status: 429,
    code: 'RATE_LIMITED',
    message: `too many requests; try again in ${seconds} s`,
    headers: { 'Retry-After': String(seconds) },
  })
}
