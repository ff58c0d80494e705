/**
 * When a delivery that failed is tried again, and when its endpoint is given up (docs/open-facts.md 30 and 31).
 *
 * Pure: time passes by what the outbox measures on a clock that never goes back, randomness is handed in.
 */

/** Waits between attempts, in ms: the first before the first attempt, each other after the failure of the one before. */
export type Schedule = readonly number[]

const S = 1_000
const MINUTE = 60 * S
const HOUR = 60 * MINUTE

export const DEFAULT_SCHEDULE: Schedule = [
  0,
  5 * S,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** An endpoint that has only failed for this long is disabled. */
export const GIVE_UP_MS = 5 * 24 * HOUR
/** A receiver may ask for patience by `Retry-After`, up to this long. */
export const LONGEST_RETRY_AFTER_MS = 24 * HOUR
/** Up to this part of a wait is added, so that what failed together is not tried together again. */
const JITTER = 0.1

export interface FailedAttempt {
  readonly schedule: Schedule
  /** How many attempts were made, this one included. */
  readonly attempts: number
  /** What the receiver asked for, in ms. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to below 1. */
  readonly random: number
}

/** Whole milliseconds until the next attempt; undefined when there is none. Never sooner than the receiver asked for. */
export function nextAttemptIn({
  schedule,
  attempts,
  retryAfterMs = 0,
  random,
}: FailedAttempt): number | undefined {
  const wait = schedule[attempts]
  if (wait === undefined) return undefined
  const asked = Math.min(Math.max(0, retryAfterMs), LONGEST_RETRY_AFTER_MS)
  return Math.ceil(Math.max(wait * (1 + JITTER * random), asked))
}

/**
 * What `Retry-After` says (RFC 9110, 10.2.3), in ms: seconds or a date; undefined when it says nothing that can be
 * understood. `now`: ms since 1970.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, LONGEST_RETRY_AFTER_MS)
  if (!/^[A-Z][a-z]{2}, [0-3]\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

const UNITS = { s: S, m: MINUTE, h: HOUR } as const

/** Reads a schedule written as `0s,5s,5m,30m,2h`; undefined when it is not valid: 1 to 20 waits, none over a day. */
export function readSchedule(text: string): Schedule | undefined {
  const waits = text.split(',').map((part) => {
    const [, count, unit] = /^(\d{1,6})(s|m|h)$/.exec(part.trim()) ?? []
    return count === undefined ? NaN : Number(count) * UNITS[unit as keyof typeof UNITS]
  })
  const isSchedule = waits.length <= 20 && waits.every((wait) => wait >= 0 && wait <= 24 * HOUR)
  return isSchedule ? waits : undefined
}
