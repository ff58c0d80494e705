/** Requests to the API: the Success wrapper taken off, the Error wrapper thrown as `ApiError`. */
import { API } from '../app/base.ts'
import { forgetWrite, isAnswered, keyOfWrite } from './unanswered.ts'

export interface Fault {
  readonly Field: string
  readonly Message: string
}

/** What the API refused, and why. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly faults: readonly Fault[]
  /** To be found again in the service's log. */
  readonly requestId: string | undefined
  constructor(status: number, code: string, message: string, faults: readonly Fault[], requestId?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.faults = faults
    this.requestId = requestId
  }
}

export interface Pagination {
  readonly Page: number
  readonly PageSize: number
  readonly TotalRecords: number
  readonly TotalPages: number
}

export interface Answer<T> {
  readonly data: T
  readonly pagination?: Pagination
  /** Of lists without pages: whether there are more than these. */
  readonly hasMore: boolean
  readonly etag: string | undefined
}

export type Query = Readonly<Record<string, string | number | undefined>>

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: Query
  readonly body?: unknown
  readonly ifMatch?: string
  /** Kept with the change. */
  readonly reason?: string
  readonly signal?: AbortSignal
}

/** Called when a request finds that the session has ended. */
let onSignedOut: () => void = () => {}
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

/** The last write: another process is to show it, too. */
let position: string | undefined

/** @param path below `/api/v1`, without a slash before it */
export function urlOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  const text = parameters.toString()
  return `${API}/${path}${text ? `?${text}` : ''}`
}

/** @throws ApiError; TypeError when the service cannot be reached */
export async function request<T>(path: string, sent: Sent = {}): Promise<Answer<T>> {
  const response = await send(path, sent)
  const json = (await response.json()) as {
    readonly Data: T
    readonly Pagination?: Pagination
    readonly HasMore?: boolean
  }
  return {
    data: json.Data,
    ...(json.Pagination && { pagination: json.Pagination }),
    hasMore: json.HasMore === true,
    etag: response.headers.get('ETag') ?? undefined,
  }
}

/** The answer as it came. @throws ApiError; TypeError when the service cannot be reached */
export async function send(path: string, sent: Sent = {}): Promise<Response> {
  const { method = 'GET', query, body, ifMatch, reason, signal } = sent
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch
  if (reason?.trim()) headers['Daybook-Reason'] = encodeURIComponent(reason.trim())
  if (method === 'GET' && position !== undefined) headers['Daybook-At-Least'] = position
  const url = urlOf(path, query)
  const text = body === undefined ? undefined : JSON.stringify(body)
  // Signing in and out are no writes of records: nothing of a password is kept.
  const write =
    method === 'GET' || path.startsWith('identity/log')
      ? undefined
      : JSON.stringify([method, url, text, ifMatch, reason])
  if (write !== undefined) headers['Idempotency-Key'] = keyOfWrite(write)
  const response = await fetch(url, {
    method,
    headers,
    credentials: 'same-origin',
    ...(text !== undefined && { body: text }),
    ...(signal && { signal }),
  })
  if (write !== undefined && isAnswered(response.status)) forgetWrite(write)
  position = response.headers.get('Daybook-Position') ?? position
  if (response.ok) return response
  throw await refusalOf(response, path)
}

/** Why the service refused; a session that has ended is said to those who listen for it. */
export async function refusalOf(response: Response, path: string): Promise<ApiError> {
  const refused = await errorOf(response)
  if (response.status === 401 && !path.startsWith('identity/log')) onSignedOut()
  return refused
}

async function errorOf(response: Response): Promise<ApiError> {
  const id = response.headers.get('X-Request-Id') ?? undefined
  try {
    const { Error: error } = (await response.json()) as {
      readonly Error: { readonly Code: string; readonly Message: string; readonly Details: readonly Fault[] }
    }
    return new ApiError(response.status, error.Code, error.Message, error.Details, id)
  } catch {
    return new ApiError(
      response.status,
      'SERVER_ERROR',
      response.statusText || String(response.status),
      [],
      id,
    )
  }
}
