/**
 * The public API as the demo uses it, as clients should behave (docs/interface.md#error-codes): 429 is waited
 * out, what may pass is tried again, anything else is an error.
 */
import { setTimeout as delay } from 'node:timers/promises'

export interface Instance {
  readonly url: string
  readonly token: string
}

export interface Call {
  readonly body?: unknown
  /** A file, in place of a body. */
  readonly file?: { readonly type: string; readonly text: string }
  /** Kept with the change. */
  readonly reason?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses beside 2xx that are no error. */
  readonly accept?: readonly number[]
}

export interface Answer<Data> {
  readonly status: number
  readonly data: Data
  /** How many records match, of a list. */
  readonly total: number
  readonly etag: string
}

export interface ApiClient {
  /** `path` begins after `/api/v1/`. */
  call<Data>(method: string, path: string, call?: Call): Promise<Answer<Data>>
}

/** How a caller is known. */
export interface Credentials {
  headers(): Promise<Readonly<Record<string, string>>>
  /** Sees the headers of each answer. */
  answered?(headers: Headers): void
  /** After a 401: whether to try once more. */
  renew?(): boolean
}

/** The service said no. The message has its own words. */
class CallRefused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const ATTEMPTS = 3
const FIRST_WAIT_MS = 1_000
/** What to wait on a 429 that does not say, in seconds. */
const RETRY_AFTER = 60

export function apiClient({ url, token }: Instance): ApiClient {
  return clientAs(url, { headers: async () => ({ Authorization: `Bearer ${token}` }) })
}

export function clientAs(url: string, credentials: Credentials): ApiClient {
  const once = async (method: string, path: string, { body, file, reason, headers }: Call) => {
    const sent = file?.text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: {
        ...(await credentials.headers()),
        ...(sent !== undefined && { 'Content-Type': file?.type ?? 'application/json' }),
        // Header values are ASCII; the service decodes.
        ...(reason !== undefined && { 'Daybook-Reason': encodeURIComponent(reason) }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    credentials.answered?.(response.headers)
    return response
  }

  return {
    async call<Data>(method: string, path: string, call: Call = {}) {
      for (let attempt = 1; ; attempt++) {
        const response = await once(method, path, call)
        const text = await response.text()
        const { status, headers } = response
        if (response.ok || call.accept?.includes(status)) {
          const { Data, Pagination } = JSON.parse(text) as {
            Data: Data
            Pagination?: { TotalRecords: number }
          }
          const total = Pagination?.TotalRecords ?? 0
          return { status, data: Data, total, etag: headers.get('etag') ?? '' }
        }
        if (status === 401 && attempt === 1 && credentials.renew?.()) continue
        const again = status === 429 || (status >= 500 && attempt < ATTEMPTS)
        if (!again) throw new CallRefused(status, `${method} ${path}: ${status} ${text.slice(0, 600)}`)
        const seconds = headers.get('retry-after') ?? (status === 429 ? RETRY_AFTER : 0)
        await delay(Number(seconds) * 1_000 || FIRST_WAIT_MS * 2 ** (attempt - 1))
      }
    },
  }
}

const PAGE = 100

/** All records of a list, page by page. */
export async function listAll<Data>(
  api: ApiClient,
  object: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Data[]> {
  const all: Data[] = []
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({ ...parameters, page: String(page), pageSize: String(PAGE) })
    const { data, total } = await api.call<Data[]>('GET', `${object}?${query.toString()}`)
    all.push(...data)
    if (data.length === 0 || all.length >= total) return all
  }
}

/** Does the work for every item, at most `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      await work(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}
