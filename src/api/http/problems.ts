/**
 * Errors as answers: the Error wrapper (docs/interface.md#wrappers) with its codes (docs/interface.md#error-codes). Routes only throw; what an
 * unexpected error says stays in the log.
 */
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import {
  Busy,
  Conflict,
  Forbidden,
  Invalid,
  MOST_FAULTS,
  NotFound,
  NotServed,
  NotYet,
  PreconditionFailed,
  TooLarge,
  Unavailable,
  type Fault,
} from '../../domain/errors.ts'
import { VersionConflict } from '../../ports/event-store.ts'
import type { Log } from '../../ports/log.ts'
import { loggedPath, type IsKnown } from './logged-path.ts'
import { arrivalOf, sendJson } from './send.ts'

type Code =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'SERVER_ERROR'

export interface Problem {
  readonly status: number
  readonly code: Code
  readonly message: string
  readonly details?: readonly Fault[]
  readonly headers?: Readonly<Record<string, string>>
}

/** What only the HTTP layer can refuse. */
export class Refusal extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'Refusal'
    this.problem = problem
  }
}

export function unauthorized(): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer realm="daybook"' }
  return new Refusal({
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'no valid token or session: send Authorization: Bearer <token>',
    headers,
  })
}

/** Reads do not show yet what they are asked for; they soon will. */
export function readsLag(): Refusal {
  const message = 'reads do not show yet what was asked for; try again'
  return new Refusal({ status: 503, code: 'SERVER_ERROR', message, headers: { 'Retry-After': '1' } })
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem
  const refused = error as { message: string; faults?: readonly Fault[] }
  const of = (status: number, code: Code): Problem => ({
    status,
    code,
    message: refused.message,
    details: refused.faults ?? [],
  })
  if (error instanceof Invalid) return of(400, 'VALIDATION_ERROR')
  if (error instanceof Forbidden) return of(403, 'FORBIDDEN')
  if (error instanceof NotFound) return of(404, 'NOT_FOUND')
  if (error instanceof Conflict) return of(409, 'CONFLICT')
  if (error instanceof PreconditionFailed) return of(412, 'CONFLICT')
  if (error instanceof VersionConflict)
    return { status: 409, code: 'CONFLICT', message: 'the record was changed by others; try again' }
  if (error instanceof TooLarge) return of(413, 'VALIDATION_ERROR')
  if (error instanceof NotServed) return of(503, 'SERVER_ERROR')
  if (error instanceof NotYet)
    return {
      status: 503,
      code: 'SERVER_ERROR',
      message: `${error.message}; ask again`,
      headers: { 'Retry-After': '5' },
    }
  if (error instanceof Busy)
    return {
      status: 503,
      code: 'SERVER_ERROR',
      message: `${error.message}; try again`,
      headers: { 'Retry-After': '1' },
    }
  if (error instanceof Unavailable)
    return {
      status: 503,
      code: 'SERVER_ERROR',
      message: 'the service cannot do this now; try again',
      headers: { 'Retry-After': '1' },
    }
  return ofBodyParser(error) ?? { status: 500, code: 'SERVER_ERROR', message: 'internal server error' }
}

/** Express and its body parser mark what the client did wrong with a status and a type. */
function ofBodyParser(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined
  const { status } = error
  if (status < 400 || status > 499) return undefined
  const type = 'type' in error ? error.type : undefined
  const about = (message: string): Problem => ({
    status,
    code: 'VALIDATION_ERROR',
    message,
    details: [{ Field: '', Message: message }],
  })
  if (type === 'entity.too.large') return about('the body is larger than this route takes')
  if (type === 'entity.parse.failed') return about(`the body is not valid JSON: ${error.message}`)
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return about('the body ended before it was complete')
  if (type === 'encoding.unsupported') return about('Content-Encoding must be gzip, deflate, br or identity')
  if (error instanceof URIError) return about('the path is not percent-encoded UTF-8')
  if (isOfZlib(error)) return about('the body is not packed as Content-Encoding says')
  return about('the request is malformed')
}

function isOfZlib(error: Error): boolean {
  return 'code' in error && /^(Z_|ERR_(_|BROTLI))/.test(String(error.code))
}

/** The faults as they are shown: the first 100, and a last one that says so when there are more. */
export function shownDetails(faults: readonly Fault[], most = MOST_FAULTS): readonly Fault[] {
  return faults.length > most ? [...faults.slice(0, most), { Field: '', Message: 'has more faults' }] : faults
}

export function sendProblem(
  response: Response,
  { status, code, message, details = [], headers = {} }: Problem,
): void {
  const error = { Code: code, Message: message, Details: shownDetails(details) }
  sendJson(response, status, JSON.stringify({ Success: false, Error: error }), headers)
}

/** @param meant the path that was probably meant by this one */
export const notFoundHandler =
  (meant: (path: string) => string | undefined): RequestHandler =>
  ({ method, path }) => {
    const other = meant(path)
    throw new NotFound(
      `there is no ${method} ${path.slice(0, 200)}${other === undefined ? '' : `; did you mean ${other}?`}`,
    )
  }

/** How a problem is sent, by what it was made from. */
type SendProblem = (response: Response, problem: Problem, error: unknown) => void

/** @param sendAs for those who have other wrappers of errors */
export function problemHandler(
  log: Log,
  isKnown: IsKnown,
  sendAs: SendProblem = sendProblem,
): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const problem = toProblem(error)
    if (problem.status >= 500) {
      const about = { request: arrivalOf(response).id, path: loggedPath(request, isKnown) }
      // A client can cause these at will, with nothing wrong here.
      if (error instanceof Refusal || error instanceof Busy || error instanceof NotYet)
        log.debug({ ...about, detail: error.message }, 'request refused for now')
      else if (error instanceof Unavailable) log.warn({ ...about, err: error }, 'request failed')
      else log.error({ ...about, err: error }, 'request failed')
    }
    if (response.headersSent) response.destroy()
    else sendAs(response, problem, error)
  }
}
