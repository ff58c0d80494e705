/** What can go wrong, as classes with a `kind` to switch on. The message ends with the id by which the log has the request. */

/** One fault of a request: the field or parameter that it is in, and what is wrong. */
export interface Detail {
  readonly Field: string
  readonly Message: string
}

/** What is known of an answer that is an error. */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined
  /** Seconds of `Retry-After`. */
  readonly after: number | undefined
}

export abstract class DaybookError extends Error {
  abstract readonly kind:
    | 'Invalid'
    | 'Unauthorized'
    | 'Forbidden'
    | 'NotFound'
    | 'Conflict'
    | 'RateLimited'
    | 'ServerError'
    | 'NoAnswer'
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  /** `Error.Code` of the answer. */
  readonly code: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined

  constructor({ status, code, message, details, requestId }: Refused, options?: ErrorOptions) {
    super(requestId === undefined ? message : `${message} (request ${requestId})`, options)
    this.name = new.target.name
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
  }
}

/** The request is not valid (400, 413, 415 …): `details` names each field. */
export class Invalid extends DaybookError {
  readonly kind = 'Invalid'
}
/** The token or session is missing, wrong or over (401). */
export class Unauthorized extends DaybookError {
  readonly kind = 'Unauthorized'
}
/** No role grants it (403). */
export class Forbidden extends DaybookError {
  readonly kind = 'Forbidden'
}
/** It does not exist, or not for the caller (404, 410). */
export class NotFound extends DaybookError {
  readonly kind = 'NotFound'
}
/** It is in the way of another record or state (409), or the record has changed since `ifMatch` (412). */
export class Conflict extends DaybookError {
  readonly kind = 'Conflict'
  /** Names of the fields that it is about; after a 412, those that have changed. */
  get fields(): readonly string[] {
    return [...new Set(this.details.map(({ Field }) => Field))]
  }
  /** After a 412, Keys of those who have changed the record since. */
  get by(): readonly string[] {
    return [
      ...new Set(
        this.details.flatMap(
          ({ Message }) => /^was changed by (.+) at \d{4}-\d\d-\d\dT/.exec(Message)?.[1] ?? [],
        ),
      ),
    ]
  }
}
/** Too many requests (429), also after waiting for `after` seconds each time. */
export class RateLimited extends DaybookError {
  readonly kind = 'RateLimited'
  readonly after: number

  constructor(refused: Refused) {
    super(refused)
    this.after = refused.after ?? 60
  }
}
/** The service failed or is not available (5xx, 408). A write may or may not have been done: the same key tells. */
export class ServerError extends DaybookError {
  readonly kind = 'ServerError'
}
/** There was no answer in time, or none at all. A write may or may not have been done: the same key tells. */
export class NoAnswer extends DaybookError {
  readonly kind = 'NoAnswer'

  constructor(message: string, cause: unknown) {
    super(
      { status: 0, code: 'NO_ANSWER', message, details: [], requestId: undefined, after: undefined },
      { cause },
    )
  }
}

/** Any of them; `switch (error.kind)` knows them all. */
export type AnyDaybookError =
  Invalid | Unauthorized | Forbidden | NotFound | Conflict | RateLimited | ServerError | NoAnswer

/** The error that an answer stands for. */
export function errorOf(refused: Refused): AnyDaybookError {
  const { status } = refused
  if (status === 401) return new Unauthorized(refused)
  if (status === 403) return new Forbidden(refused)
  if (status === 404 || status === 410) return new NotFound(refused)
  if (status === 409 || status === 412) return new Conflict(refused)
  if (status === 429) return new RateLimited(refused)
  return status >= 500 || status === 408 ? new ServerError(refused) : new Invalid(refused)
}
