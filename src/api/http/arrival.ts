/**
 * The first and the last step of a request: it gets an id and the headers of its answer; when the answer is sent, its
 * duration is measured and, where worth a line, logged. Headers and bodies are never logged, and of the path only the
 * service's own parts.
 *
 * Browsers' preflight requests are answered here, before authentication.
 */
import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { CommonHeaders } from './common-headers.ts'
import { answerLast } from './last-answer.ts'
import type { Log } from '../../ports/log.ts'
import type { Clock } from '../../ports/clock.ts'
import { loggedPath, routeOf, type IsKnown } from './logged-path.ts'
import type { Metrics } from '../operations/metrics.ts'
import { Refusal } from './problems.ts'
import { prepare, send, setArrival } from './send.ts'

export interface ArrivalOptions {
  readonly log: Log
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'answered'>
  /** Whether every request is logged, at level debug; otherwise only those that failed or took long. */
  readonly everyRequest: boolean
  readonly commonHeaders: CommonHeaders
  /** Whether scripts of another origin are allowed at all (`APP_ORIGIN`). */
  readonly crossOrigin: boolean
  /** Which parts of a path may be logged besides those of its route. */
  readonly isKnown: IsKnown
  /** Whether a request came by TLS. @throws Refusal when it should have */
  readonly isSecure: (request: Request) => boolean
}

const REQUEST_ID = /^[\w.:-]{1,100}$/
const SLOW_MS = 1_000
/** How long browsers may remember the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE = '600'

/**
 * What Node would refuse without a body, or passes although RFC 9110 and 9112 say otherwise: a request without Host or
 * with two, two credentials, and transfer codings other than chunked.
 */
function refuseOddHeaders(request: Request, response: Response): void {
  const { headers, httpVersion, rawHeaders } = request
  if (headers.host === undefined && httpVersion === '1.1') throw malformed('The request needs a Host header.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    answerLast(request, response)
    throw malformed('Transfer-Encoding must be chunked.')
  }
  if (isRepeated(rawHeaders, 'host')) throw malformed('The request has more than one Host header.')
  if (isRepeated(rawHeaders, 'authorization'))
    throw malformed('The request has more than one Authorization header.')
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    throw new Refusal({
      status: 417,
      code: 'VALIDATION_ERROR',
      message: 'The only expectation that is supported is 100-continue.',
    })
}

/** @param raw names and values in turn */
function isRepeated(raw: readonly string[], name: string): boolean {
  let found = 0
  for (let at = 0; at < raw.length; at += 2)
    if (raw[at]!.length === name.length && raw[at]!.toLowerCase() === name) found++
  return found > 1
}

function malformed(message: string): Refusal {
  return new Refusal({ status: 400, code: 'VALIDATION_ERROR', message })
}

export function arrival(options: ArrivalOptions): RequestHandler {
  const { log, clock, metrics, everyRequest, commonHeaders, crossOrigin, isKnown, isSecure } = options
  return (request, response, next) => {
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    const at = performance.now()
    const { method } = request
    const arrived = { id, at, now: clock.now(), common: commonHeaders.plain, more: [] }
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
    refuseOddHeaders(request, response)
    if (isSecure(request)) arrived.common = commonHeaders.secure
    if (crossOrigin && isPreflight(request))
      return send(response, 204, { 'Access-Control-Max-Age': PREFLIGHT_MAX_AGE })
    // Express itself answers OPTIONS of routes that do not handle it.
    if (method === 'OPTIONS') prepare(response)
    next()
  }
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
