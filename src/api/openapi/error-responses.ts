/** The answers to requests that fail: docs/interface.md, 'Errors'. */
import { reference, schemaRef, type OpenApiDocument, type Response } from './document.ts'
import { json } from './wrappers.ts'

export const errorResponses: OpenApiDocument['components']['responses'] = {
  BadRequest: error(
    'The request is not valid; `Details` names every fault, up to 100.',
    'VALIDATION_ERROR',
    'the request is not valid',
    [{ Field: 'MonthlyRent', Message: 'is required' }],
  ),
  Unauthorized: {
    ...error(
      'The token or session is missing, not known, or has expired.',
      'UNAUTHORIZED',
      'no valid token or session: send Authorization: Bearer <token>',
    ),
    headers: { 'WWW-Authenticate': reference('headers', 'WWW-Authenticate') },
  },
  Forbidden: error(
    'The roles of the token or user do not permit this.',
    'FORBIDDEN',
    'create contract is not granted to you',
  ),
  NotFound: error('There is no such record, or it is deleted.', 'NOT_FOUND', 'there is no such record'),
  Conflict: error(
    'It contradicts what is recorded: a duplicate of a unique value, a record that others look up, an `Idempotency-Key` used for something else, a change made at the same moment.',
    'CONFLICT',
    'another record has this value',
  ),
  Gone: error(
    'The token is later than anything that the store holds: begin again without it.',
    'NOT_FOUND',
    'since is later than anything this store holds; begin again without it',
  ),
  PreconditionFailed: error(
    'The record has changed since the version that `If-Match` names.',
    'CONFLICT',
    'the record has changed since',
  ),
  TooLarge: error(
    'The body or the record is larger than the service takes.',
    'VALIDATION_ERROR',
    'the body is too large',
  ),
  UnsupportedType: error(
    'The body is neither `application/json` nor `application/merge-patch+json`.',
    'VALIDATION_ERROR',
    'the body must be application/json',
  ),
  RateLimited: {
    ...error('Too many requests.', 'RATE_LIMITED', 'too many requests; try again in 1 s'),
    headers: {
      RateLimit: reference('headers', 'RateLimit'),
      'RateLimit-Policy': reference('headers', 'RateLimit-Policy'),
      'Retry-After': reference('headers', 'Retry-After'),
    },
  },
  HeadersTooLarge: error(
    'The request line and headers are over 16 KB.',
    'VALIDATION_ERROR',
    'The headers of the request are too long.',
  ),
  ServerError: error(
    'The service failed; trying again later may help.',
    'SERVER_ERROR',
    'internal server error',
  ),
  Unavailable: {
    ...error(
      'A part of the service cannot be reached now. Nothing is known to be written; a retry with the same `Idempotency-Key` is safe.',
      'SERVER_ERROR',
      'the service is not available now',
    ),
    headers: { 'Retry-After': reference('headers', 'Retry-After') },
  },
}

const STATUSES = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedType',
  429: 'RateLimited',
  431: 'HeadersTooLarge',
  500: 'ServerError',
  503: 'Unavailable',
} as const

/** References to the error answers of an operation: those named, and those that any operation may have. */
export function errors(...statuses: (keyof typeof STATUSES)[]): {
  readonly [status: string]: { readonly $ref: string }
} {
  const all = [400, 401, 403, 429, 431, 500, 503, ...statuses] as const
  return Object.fromEntries(all.map((status) => [status, reference('responses', STATUSES[status])]))
}

function error(
  description: string,
  code: string,
  message: string,
  details: readonly object[] = [],
): Response {
  const example = { Success: false, Error: { Code: code, Message: message, Details: details } }
  return { description, content: json(schemaRef('Error.Response'), example) }
}
