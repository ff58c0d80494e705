/** The path is there, but not with this method. OPTIONS tells which are. */
import type { RequestHandler } from 'express'
import { Refusal } from './problems.ts'
import { send } from './send.ts'

/** `allow`: the methods that the path takes, `GET, POST`. */
export function notAllowed(allow: string): RequestHandler {
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
