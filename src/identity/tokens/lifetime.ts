/** How long a token is valid: as asked for, within bounds; 90 days when nothing is asked. Times are in ms since 1970. */
import { timestampOf, utcTimestamp } from '../../domain/fields/dates.ts'
import type { Fault } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'

const DAY_MS = 86_400_000
const DAYS = { usual: 90, shortest: 1, longest: 365 }
/** For clients whose clock differs a little. */
const TOLERANCE_MS = 300_000
/** How long the value before a rotation stays valid. */
const OVERLAP_MS = DAY_MS

/** The expiry as a timestamp; without one that was sent, so many days from `time`. Faults are added to the list. */
export function expiryOf(sent: Json, time: number, faults: Fault[], days: number = DAYS.usual): string {
  if (sent === null) return timestampOf(time + days * DAY_MS)
  const timestamp = typeof sent === 'string' ? utcTimestamp(sent) : undefined
  const ahead = timestamp === undefined ? Number.NaN : Date.parse(timestamp) - time
  const isWithin =
    ahead >= DAYS.shortest * DAY_MS - TOLERANCE_MS && ahead <= DAYS.longest * DAY_MS + TOLERANCE_MS
  if (isWithin) return timestamp!
  const Message =
    timestamp === undefined
      ? 'must be a timestamp, as YYYY-MM-DDThh:mm:ssZ'
      : `must be ${DAYS.shortest} to ${DAYS.longest} days from now`
  faults.push({ Field: 'ExpiresAt', Message })
  return ''
}

/** Until when the value before a rotation at `time` is valid. */
export function overlapEnd(time: number): string {
  return timestampOf(time + OVERLAP_MS)
}

/** How many days, about, the token was given when it was made or last rotated. */
export function lifetimeOf({ fields, modifiedAt, createdAt }: RecordState): number {
  const expires = fields['ExpiresAt']
  if (typeof expires !== 'string') return DAYS.usual
  const overlap = fields['PreviousUntil'] as string | undefined
  const from = overlap ? Date.parse(overlap) - OVERLAP_MS : Date.parse(createdAt || modifiedAt)
  const days = Math.round((Date.parse(expires) - from) / DAY_MS)
  return Math.min(Math.max(days, DAYS.shortest), DAYS.longest)
}
