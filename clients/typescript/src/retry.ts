/**
 * When a request is sent again: the service's own guidance. After a 429 the seconds of `Retry-After`, 60 without it; after a
 * 5xx, a 408 or no answer 1, 2 and 4 seconds, or `Retry-After`; never after another 4xx.
 */

/** Times that a request is sent again, unless the client or the request says otherwise. */
export const RETRIES = 3
/** A wait that the service asks for and that is longer than this is left to the caller, in seconds. */
export const LONGEST_WAIT = 120

export interface Failure {
  /** 0: there was no answer. */
  readonly status: number
  /** Seconds of `Retry-After`. */
  readonly after: number | undefined
}

/**
 * Milliseconds to wait before the request is sent again; undefined: not at all.
 * @param failures how often it has failed, 1 at first
 * @param random 0 to 1: spreads those who were refused at the same moment
 */
export function waitAfter(
  { status, after }: Failure,
  failures: number,
  retries: number,
  random: number,
): number | undefined {
  const isTransient = status === 0 || status === 408 || status === 429 || status >= 500
  if (!isTransient || failures > retries) return undefined
  const seconds = after ?? (status === 429 ? 60 : 2 ** Math.min(failures - 1, 2))
  if (seconds > LONGEST_WAIT) return undefined
  // Never less than was asked for.
  return Math.round(seconds * 1_000 * (1 + random / 4))
}

/** Seconds of a `Retry-After` header: a number of them, or a date. */
export function secondsAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}

/** @throws what the signal was aborted with */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(ended, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    function ended() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
