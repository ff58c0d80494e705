/**
 * The headers of every answer, made once: whatever leaves the service, errors and refusals of malformed HTTP included,
 * carries them (`send.ts`).
 *
 * The cross-origin ones are exactly those of docs/interface.md#cross-origin-headers. The origin is a constant and never that of the
 * request, so that no cache and no proxy can mix up two of them.
 */

export interface CommonHeaders {
  /** Names and values in turn, as `writeHead` takes them. */
  readonly plain: readonly string[]
  /** The same, for requests that came by TLS. */
  readonly secure: readonly string[]
}

/** Two years, the least that browsers' preload lists suggest. Not for subdomains: they are not this service's to bind. */
const HSTS = ['Strict-Transport-Security', 'max-age=63072000']

const ALWAYS = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store']

/** Headers of answers, and not only the ones that every script may read anyway, that the application may read. */
const EXPOSED = [
  'Daybook-Position',
  'Daybook-Read-Lag',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'X-Token-Expires',
]

/** @param appOrigin the one origin whose scripts may read answers (`APP_ORIGIN`); undefined: none, and no such header */
export function commonHeaders(appOrigin: string | undefined): CommonHeaders {
  const crossOrigin =
    appOrigin === undefined
      ? []
      : [
          ...['Access-Control-Allow-Origin', appOrigin],
          ...['Access-Control-Allow-Credentials', 'true'],
          ...['Access-Control-Allow-Headers', 'Content-Type, Authorization'],
          ...['Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS'],
          ...['Access-Control-Expose-Headers', EXPOSED.join(', ')],
        ]
  const plain = [...ALWAYS, ...crossOrigin]
  return { plain, secure: [...plain, ...HSTS] }
}

/** What a page adds to that: it loads nothing but what `policy` names, and nobody frames it. */
export function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  }
}

/** The same as text, for answers that are written to a socket by hand. */
export function headerLines(headers: readonly string[]): string {
  return headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('')
}
