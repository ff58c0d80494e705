/** The path is there, but not with this method. OPTIONS answers which are. */
import type { RequestHandler } from 'express'
import { needsNoGrant, policyOf } from '../policy.ts'
import { Refusal } from './problems.ts'
import { send } from './send.ts'

/** What express keeps of a route. */
interface Route {
  readonly stack: readonly { readonly method: string; readonly handle: RequestHandler }[]
  all(...handlers: readonly RequestHandler[]): unknown
}

/**
 * Answers every method that a route does not take, and OPTIONS, by those that it was given before. `on`: another route
 * of the same path, where routes that come between take some of its paths. Of a route that is open to all, everyone gets all of them.
 */
export function refuseOthers(route: Route, on = route): void {
  const taken = route.stack.map(({ method }) => method.toUpperCase())
  const policies = route.stack.map(({ handle }) => policyOf(handle)?.action)
  const open = policies.find((action) => action === 'open' || action === 'probe')
  // What takes GET takes HEAD (RFC 9110, 9.3.2).
  const methods = new Set(taken.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
  on.all(needsNoGrant(open ?? 'self'), notAllowed([...methods].join(', ')))
}

function notAllowed(allow: string): RequestHandler {
  const headers = { Allow: `${allow}, OPTIONS` }
  return (request, response) => {
    if (request.method === 'OPTIONS') return send(response, 204, headers)
    throw new Refusal({
      status: 405,
      code: 'VALIDATION_ERROR',
      message: `this route takes ${allow}`,
      headers,
    })
  }
}
