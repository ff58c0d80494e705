/**
 * Requests held to the rate limits: who is known by principal, who is not by address. Every such answer says what is left
 * (`RateLimit`, `RateLimit-Policy`, draft-ietf-httpapi-ratelimit-headers-10), and a refusal when to come again
 * (`Retry-After`, always, in whole seconds).
 *
 * A request counts once, however many records a batch has; rows of batches have a limit of their own, for each company. Health is not limited, and neither is the machine itself.
 */
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { Company } from '../../../domain/events/event.ts'
import { Refusal } from '../problems.ts'
import type { RateLimits, ShownLimit } from './rate-limits.ts'
import { principalOf } from '../request-context.ts'
import { sendInstead } from '../send.ts'
import { clientAddress } from '../transport.ts'

declare module 'express-serve-static-core' {
  interface Locals {
    rateLimits?: RateLimits | undefined
    companyLimits?: CompanyLimits
    /** It has been counted: refusing it does not count again. */
    isCharged?: boolean
  }
}

/** What all principals of a company may do together; undefined: as much as they like. */
export interface CompanyLimits {
  readonly requests: RateLimits | undefined
  /** Rows of batches. */
  readonly rows: RateLimits | undefined
}

/** The guard, and after it the limits of the principal that it has found, and of its company. */
export function limitedByPrincipal(
  guard: RequestHandler,
  limits: RateLimits | undefined,
  { requests }: CompanyLimits,
): RequestHandler {
  if (!limits && !requests) return guard
  return (request, response, next) =>
    guard(request, response, (error?: unknown) => {
      if (error !== undefined) return next(error)
      chargeBoth(response, limits, requests)
      next()
    })
}

/**
 * Counts a request that came by its address against the principal that it has proven to be, and its company, instead.
 * @throws Refusal (429)
 */
export function chargePrincipal(request: Request, response: Response): void {
  const { locals } = response.app
  giveAddressBack(request, response)
  chargeBoth(response, locals.rateLimits, locals.companyLimits!.requests)
}

function chargeBoth(
  response: Response,
  limits: RateLimits | undefined,
  requests: CompanyLimits['requests'],
): void {
  const { actor, company } = principalOf(response)
  if (limits) charge(limits, response, actor)
  try {
    if (requests) charge(requests, response, requestsOf(company))
  } catch (refused) {
    limits?.giveBack(actor) // what is refused does not count
    throw refused
  }
}

/** What the requests of a company are counted against. */
export const requestsOf = (company: Company) => `requests of ${company}`

/** Counts the rows of a batch against the company. @throws Refusal (429) */
export function chargeRows(response: Response, count: number): void {
  const { rows } = response.app.locals.companyLimits!
  if (rows) charge(rows, response, `rows of ${principalOf(response).company}`, count)
}

/** Counts a request against its address, or as many as `count` says. @throws Refusal (429) */
export function chargeAddress(request: Request, response: Response, count = 1): void {
  const limits = response.app.locals.rateLimits
  if (limits) charge(limits, response, `address ${clientAddress(request)}`, count)
}

/** A request that was counted against its address has proven that it need not be. */
export function giveAddressBack(request: Request, response: Response): void {
  const limits = response.app.locals.rateLimits
  limits?.giveBack(`address ${clientAddress(request)}`)
}

/** Makes the limits known to `chargeAddress` and `chargeRows`. */
export function keepLimits(
  app: Pick<Express, 'locals'>,
  limits: RateLimits | undefined,
  company: CompanyLimits,
) {
  app.locals.rateLimits = limits
  app.locals.companyLimits = company
}

/** Who is refused for not being known counts too: tokens and passwords are not to be guessed at any speed. */
export const chargeUnauthorized: ErrorRequestHandler = (error: unknown, request, response, next) => {
  const unknown = error instanceof Refusal && error.problem.status === 401
  if (unknown && !response.locals.isCharged) chargeAddress(request, response)
  next(error)
}

function charge(limits: RateLimits, response: Response, key: string, count = 1): void {
  response.locals.isCharged = true
  const { name, policy } = limits
  const { waitMs, left, fullMs } = limits.take(key, count)
  showLimit(response, { name, policy, left, fullMs })
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new Refusal({
    status: 429,
    code: 'RATE_LIMITED',
    message: `too many requests; try again in ${seconds} s`,
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Says in the answer what is left. */
export function showLimit(response: Response, { name, policy, left, fullMs }: ShownLimit): void {
  sendInstead(response, 'RateLimit-Policy', policy)
  sendInstead(response, 'RateLimit', `"${name}";r=${left};t=${Math.ceil(fullMs / 1_000)}`)
}
