/**
 * The policy of a route: which action on which object it is. Every route carries exactly one; a route without one fails
 * the tests (`policyOf` is how they read it from the router itself).
 */
import type { RequestHandler, Response } from 'express'
import type { Grant } from '../domain/grant.ts'
import type { Action } from '../rights/access.ts'
import { chargeAddress } from './http/limits/limited.ts'
import { Refusal } from './http/problems.ts'
import { principalOf } from './http/request-context.ts'

export interface Policy {
  /**
   * `open`: for everyone, authenticated or not. `probe`: the same, as often as they like. `self`: for every principal,
   * about itself only. `workflow::action`: the workflow action that the path names.
   */
  readonly action: Action | Unconditional
  /** `:object`: the one that the path names. `*`: none. */
  readonly object: string
}

type Unconditional = 'open' | 'probe' | 'self'

const policies = new WeakMap<RequestHandler, Policy>()

/** Lets a request pass whose principal has this grant, which `callerOf` then returns; the others get a 403. */
export function requires(action: Action, object = '*'): RequestHandler {
  const handler: RequestHandler = (request, response, next) => {
    const named = object === ':object' ? (request.params['object'] as string) : object
    const asked: Action =
      action === 'workflow::action' ? `workflow:${request.params['action'] as string}` : action
    response.locals.grant = granted(response, named, asked)
    next()
  }
  policies.set(handler, { action, object })
  return handler
}

/** Marks a route as one that needs no grant; one that is open to all counts against the address that asks. */
export function needsNoGrant(action: Unconditional): RequestHandler {
  const handler: RequestHandler = (request, response, next) => {
    if (action === 'open') chargeAddress(request, response)
    next()
  }
  policies.set(handler, { action, object: '*' })
  return handler
}

/** @throws Refusal (403) when the principal has no such grant */
export function granted(response: Response, object: string, action: Action): Grant {
  const grant = principalOf(response).access.grant(object, action)
  if (grant) return grant
  const message =
    object === '*' ? `${action} is not granted to you` : `${action} ${object} is not granted to you`
  throw new Refusal({ status: 403, code: 'FORBIDDEN', message })
}

/** The policy that a handler is, if it is one. */
export function policyOf(handler: RequestHandler): Policy | undefined {
  return policies.get(handler)
}
