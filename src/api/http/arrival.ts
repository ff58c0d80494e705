/**
 * The first thing that happens to a request and the last: it gets an id and the headers of its answer, and when that is
 * out its time is taken and, where worth a line, logged. Never headers or bodies, and of the path only what is the
 * service's own.
 *
 * Browsers' questions before a request of another origin (preflights) are answered here, before anyone has to be known.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler } from 'express'
import type { CommonHeaders } from './common-headers.ts'
import type { Log } from './log.ts'
import { loggedPath, routeOf, type IsKnown } from './logged-path.ts'
import type { Metrics } from '../operations/metrics.ts'
import { Refusal } from './problems.ts'
import { prepare, send, setArrival } from './send.ts'

export interface ArrivalOptions {
  readonly log: Log
  readonly metrics: Metrics
  /** Whether every request is logged, at level debug; otherwise only those that failed or took long. */
  readonly everyRequest: boolean
  readonly commonHeaders: CommonHeaders
  /** Whether scripts of another origin are let in at all (`APP_ORIGIN`). */
  readonly crossOrigin: boolean
  /** Which parts of a path may be logged beside those of its route. */
  readonly isKnown: IsKnown
  /** Whether a request came by TLS. @throws Refusal when it should have */
  readonly isSecure: (request: Request) => boolean
}

const REQUEST_ID = /^[\w.:-]{1,100}$/
const SLOW_MS = 1_000
/** How long browsers may remember the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE = '600'

/** What Node would refuse without a body (RFC 9110, 7.2 and 10.1.1). */
function refuseOddHeaders({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Refusal({ status: 400, code: 'VALIDATION_ERROR', message: 'the request needs a Host header' })
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    throw new Refusal({
      status: 417,
      code: 'VALIDATION_ERROR',
      message: 'no expectation but 100-continue is fulfilled',
    })
}

export function arrival(options: ArrivalOptions): RequestHandler {
  const { log, metrics, everyRequest, commonHeaders, crossOrigin, isKnown, isSecure } = options
  return (request, response, next) => {
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    const at = performance.now()
    const { method } = request
    const arrived = { id, at, common: commonHeaders.plain, more: [] }
    setArrival(response, arrived)
    response.on('finish', () => {
      const ms = performance.now() - at
      const status = response.statusCode
      metrics.answered(method, routeOf(request, isKnown) ?? 'none', status, ms / 1000)
      if (!everyRequest && status < 500 && ms < SLOW_MS) return
      const level = status >= 500 ? 'warn' : ms > SLOW_MS ? 'info' : 'debug'
      const path = loggedPath(request, isKnown)
      log[level]({ request: id, method, path, status, ms: Math.round(ms * 10) / 10 }, 'request')
    })
    refuseOddHeaders(request)
    if (isSecure(request)) arrived.common = commonHeaders.secure
    if (crossOrigin && isPreflight(request))
      return send(response, 204, { 'Access-Control-Max-Age': PREFLIGHT_MAX_AGE })
    // The only answers that Express makes by itself, of routes that say nothing to it.
    if (method === 'OPTIONS') prepare(response)
    next()
  }
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
