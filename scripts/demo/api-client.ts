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
  /** Kept with the change. */
  readonly reason?: string
  /** The same call with the same key is done once, however often it is sent. */
  readonly idempotencyKey?: string
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
  const once = async (method: string, path: string, { body, reason, idempotencyKey }: Call) =>
    fetch(`${url}/api/v1/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        // Header values are ASCII; the service decodes.
        ...(reason !== undefined && { 'Daybook-Reason': encodeURIComponent(reason) }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

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
        const again = status === 429 || (status >= 500 && attempt < ATTEMPTS)
        if (!again) throw new CallRefused(status, `${method} ${path}: ${status} ${text.slice(0, 600)}`)
        const seconds = headers.get('retry-after') ?? (status === 429 ? RETRY_AFTER : 0)
        await delay(Number(seconds) * 1_000 || FIRST_WAIT_MS * 2 ** (attempt - 1))
      }
    },
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
