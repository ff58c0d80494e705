/**
 * One request: sent until it is answered. Writes carry an idempotency key that is made before the first try and kept for
 * all, so that sending again does nothing twice; reads carry the position of this client's last write.
 */
import { DaybookError, errorOf, NoAnswer, type Detail } from './errors.ts'
import { pause, RETRIES, secondsAfter, waitAfter } from './retry.ts'
import { Token, type TokenPlace } from './token.ts'

export interface DaybookOptions {
  /** Where the service is, without `/api/v1`. Default in a browser: where the page comes from. */
  readonly url?: string
  /** An API token, or a place that keeps one: it is then rotated when its end is near. */
  readonly token?: string | TokenPlace
  /** In a browser: requests carry the session cookie. */
  readonly cookie?: boolean
  /** How often a request is sent again; 3 by default, 0: never. */
  readonly retries?: number
  /** For each try, until its answer begins; 30,000 by default. */
  readonly timeoutMs?: number
  /** Whether reads wait for what this client has written; true by default. */
  readonly readYourWrites?: boolean
  readonly fetch?: typeof fetch
  readonly userAgent?: string
  readonly hooks?: Hooks
}

export interface Hooks {
  /** Before each try. */
  readonly request?: (request: {
    readonly method: string
    readonly url: string
    readonly attempt: number
  }) => void
  /** After each answer. */
  readonly response?: (answer: {
    readonly method: string
    readonly url: string
    readonly status: number
    readonly ms: number
  }) => void
  /** Before each wait. */
  readonly retry?: (why: {
    readonly status: number
    readonly attempt: number
    readonly waitMs: number
  }) => void
  /** What failed beside the request, such as the rotation of the token. */
  readonly trouble?: (error: unknown) => void
}

/** What any request may say. */
export interface Wishes {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
}

/** What a write may say beside that. */
export interface WriteWishes extends Wishes {
  /** Kept with the change. */
  readonly reason?: string | undefined
  /** Of a request that an earlier run of the program may have sent; otherwise one is made. */
  readonly idempotencyKey?: string | undefined
}

export type Query = { readonly [name: string]: string | number | boolean | readonly string[] | undefined }

export interface Call extends WriteWishes {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1/`, its parts encoded; with a slash before it, from the root. */
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: unknown
  /** Instead of `body`: as it is. */
  readonly raw?: {
    readonly body: string | Uint8Array | ReadableStream | Blob | FormData
    readonly type?: string
  }
  readonly ifMatch?: string | undefined
  /** Of a write to records: it is judged in full, and nothing is stored. */
  readonly dryRun?: boolean | undefined
  /** `plain`: neither a key nor a position belongs to it. `seen`: a read that waits for what was written. */
  readonly kind?: 'write' | 'plain' | 'seen'
}

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** Where the page comes from, in a browser. */
const page = 'document' in globalThis ? (globalThis as { location?: { origin: string } }).location : undefined

/** 128 random bits. `randomUUID` is missing where a page is not of TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export class Transport {
  readonly url: string
  readonly #options: DaybookOptions
  readonly #token: Token
  /** Pages of another origin can send no header but two: what they would say is said by parameters. */
  readonly #byParameters: boolean
  /** Positions of the last writes: of those that were under way at the same time nobody knows which came last. */
  #written: readonly string[] = []
  #writing = 0

  constructor(options: DaybookOptions) {
    const here = page?.origin
    const url = options.url ?? here
    if (url === undefined) throw new TypeError('url: where is the service?')
    this.url = url.replace(/\/+$/, '')
    this.#options = options
    this.#token = new Token(options.token)
    this.#byParameters = here !== undefined && new URL(url, here).origin !== here
  }

  /** The answer's JSON. @throws DaybookError */
  async json<T>(call: Call): Promise<Answer<T>> {
    return this.#untilAnswered(call, async (response) => ({
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as T,
    }))
  }

  /** The answer before its body has been read: for files. @throws DaybookError */
  async raw(call: Call): Promise<Response> {
    return this.#untilAnswered(call, async (response) => response)
  }

  async #untilAnswered<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    if (!isKeyed(call)) return this.#tryAgain(call, read)
    // What was written before this began comes before it.
    if (this.#writing === 0) this.#written = this.#written.slice(-1)
    this.#writing++
    try {
      return await this.#tryAgain({ ...call, idempotencyKey: call.idempotencyKey ?? randomKey() }, read)
    } finally {
      this.#writing--
    }
  }

  async #tryAgain<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const { retries = this.#options.retries ?? RETRIES, signal } = call
    for (let failures = 1, renewed = false; ;) {
      const token = await this.#token.value()
      signal?.throwIfAborted()
      try {
        const response = await this.#send(call, token, failures)
        if (response.ok) {
          const answer = await read(response)
          await this.#learn(response, token, isKeyed(call))
          return answer
        }
        if (response.status === 401 && !renewed && (await this.#token.renewed(token))) {
          renewed = true
          continue
        }
        throw await refusal(response)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const failure =
          error instanceof DaybookError ? error : new NoAnswer(`no answer from ${this.url}`, error)
        const after = waits.get(failure)
        const waitMs = waitAfter({ status: failure.status, after }, failures, retries, Math.random())
        if (waitMs === undefined) throw failure
        this.#options.hooks?.retry?.({ status: failure.status, attempt: failures, waitMs })
        await pause(waitMs, signal)
        failures++
      }
    }
  }

  async #send(call: Call, token: string | undefined, attempt: number): Promise<Response> {
    const { hooks, cookie = false, fetch: send = fetch, timeoutMs: usual = 30_000 } = this.#options
    const { method, timeoutMs = usual, signal, raw, body } = call
    const url = this.#urlOf(call)
    const timer = new AbortController()
    const timeout = setTimeout(
      () => timer.abort(new Error(`there was no answer within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const began = performance.now()
    hooks?.request?.({ method, url, attempt })
    try {
      const response = await send(url, {
        method,
        headers: this.#headersOf(call, token),
        signal: signal ? AbortSignal.any([signal, timer.signal]) : timer.signal,
        credentials: cookie ? 'include' : 'omit',
        redirect: 'error',
        ...(raw
          ? { body: raw.body as NonNullable<RequestInit['body']>, duplex: 'half' }
          : body === undefined
            ? {}
            : { body: JSON.stringify(body) }),
      })
      hooks?.response?.({ method, url, status: response.status, ms: performance.now() - began })
      return response
    } finally {
      clearTimeout(timeout)
    }
  }

  /** What the headers of the service are called, and their values, as this request says them. */
  #said({ kind, ifMatch, reason, idempotencyKey }: Call) {
    const isSeen = kind === 'seen' && this.#options.readYourWrites !== false && this.#written.length > 0
    return [
      ['idempotencyKey', 'Idempotency-Key', idempotencyKey],
      ['ifMatch', 'If-Match', ifMatch],
      ['reason', 'Daybook-Reason', reason],
      ['atLeast', 'Daybook-At-Least', isSeen ? this.#written.join(',') : undefined],
    ] as const
  }

  #urlOf(call: Call): string {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : String(value))
    if (call.dryRun) query.set('dryRun', 'true')
    if (this.#byParameters)
      for (const [name, , value] of this.#said(call)) if (value !== undefined) query.set(name, value)
    const text = query.toString()
    const path = call.path.startsWith('/') ? call.path : `/api/v1/${call.path}`
    return `${this.url}${path}${text === '' ? '' : `?${text}`}`
  }

  #headersOf(call: Call, token: string | undefined): Record<string, string> {
    const type = call.raw ? call.raw.type : call.body === undefined ? undefined : 'application/json'
    const headers: Record<string, string> = {
      ...(type !== undefined && { 'Content-Type': type }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(!page && { 'User-Agent': this.#options.userAgent ?? 'daybook-client' }),
    }
    if (this.#byParameters) return headers
    for (const [name, header, value] of this.#said(call))
      if (value !== undefined) headers[header] = name === 'reason' ? encodeURIComponent(value) : value
    return headers
  }

  async #learn({ headers }: Response, token: string | undefined, isWrite: boolean): Promise<void> {
    const position = headers.get('Daybook-Position')
    if (isWrite && position !== null) this.#written = [...this.#written, position].slice(-MOST_POSITIONS)
    if (token === undefined) return
    try {
      await this.#token.expires(headers.get('X-Token-Expires'), token, () => this.#rotate())
    } catch (error) {
      this.#options.hooks?.trouble?.(error)
    }
  }

  async #rotate(): Promise<string> {
    const me = await this.json<{ Data: { Id: string } }>({ method: 'GET', path: 'identity/me' })
    const path = `identity/tokens/${me.body.Data.Id}/rotate`
    const rotated = await this.json<{ Data: { Token: string } }>({ method: 'POST', path })
    return rotated.body.Data.Token
  }
}

function isKeyed({ method, kind = 'write' }: Call): boolean {
  return method !== 'GET' && kind === 'write'
}

/** As many as one request may name. */
const MOST_POSITIONS = 50

/** Seconds of `Retry-After`, of errors that came with it. */
const waits = new WeakMap<DaybookError, number>()

async function refusal(response: Response): Promise<DaybookError> {
  const { status, headers } = response
  const requestId = headers.get('X-Request-Id') ?? undefined
  const after = secondsAfter(headers.get('Retry-After'), Date.now())
  const text = await response.text()
  let said: { Code?: string; Message?: string; Details?: readonly Detail[] } = {}
  try {
    said = (JSON.parse(text) as { Error?: typeof said }).Error ?? {}
  } catch {
    // A proxy answered.
  }
  const { Code: code = '', Details: details = [] } = said
  const faults = details
    .map(({ Field, Message }) => (Field === '' ? Message : `${Field} ${Message}`))
    .join('; ')
  const message = `${said.Message ?? `the answer was ${status}`}${faults && `: ${faults}`}`
  const error = errorOf({ status, code, message, details, requestId, after })
  if (after !== undefined) waits.set(error, after)
  return error
}
