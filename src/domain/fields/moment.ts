/** Moments in requests, as exact as they were written, so that `2026-03-31` means that whole day (UTC). */
import { invalid } from '../errors.ts'
import { isDate, utcTimestamp } from './dates.ts'

/** All milliseconds that the text may mean, first and last. */
export interface Moment {
  readonly first: number
  readonly last: number
}

const DAY_MS = 86_400_000

/**
 * A day, a second, or a fraction of one: `2026-03-31`, `2026-03-31T12:00:00Z`, `2026-03-31T12:00:00.250+02:00`.
 * `orWhat`: what else the parameter takes, for the fault.
 * @throws Invalid naming the parameter
 */
export function readMoment(parameter: string, text: string, orWhat = ''): Moment {
  if (isDate(text)) {
    const first = Date.parse(text)
    return { first, last: first + DAY_MS - 1 }
  }
  const seconds = utcTimestamp(text)
  if (seconds === undefined) {
    const hint = utcTimestamp(`${text}Z`) === undefined ? '' : `; it has no time zone: write ${text}Z for UTC`
    throw invalid(
      parameter,
      `must be ${orWhat}a day (2026-03-31) or a timestamp (2026-03-31T12:00:00Z; + as %2B in an offset)${hint}`,
    )
  }
  const fraction = /\.(\d+)/.exec(text)?.[1]
  const first = Date.parse(seconds) + Number(fraction?.padEnd(3, '0').slice(0, 3) ?? 0)
  return { first, last: fraction === undefined ? first + 999 : first }
}

/** What a list shows: a moment, or what had been stored up to the position of a token; `now`: up to that of this read. */
export type ListAsOf = Moment | { readonly token: string } | 'now'

/** Of a record: what it was after its version, or as in a list. */
export type RecordAsOf = { readonly version: number } | ListAsOf

/** `now`, `@` and a token for a position, or a moment. @throws Invalid naming `asOf` */
export function readListAsOf(text: string, orWhat = ''): ListAsOf {
  if (text === 'now') return 'now'
  if (text.startsWith('@')) return { token: text.slice(1) }
  return readMoment('asOf', text, orWhat)
}

/** @throws Invalid naming `asOf` */
export function readRecordAsOf(text: string): RecordAsOf {
  if (/^[1-9]\d{0,15}$/.test(text)) return { version: Number(text) }
  if (/^\d+$/.test(text)) throw invalid('asOf', 'must be a version, from 1, or a moment')
  return readListAsOf(text, 'a version (3), ')
}
