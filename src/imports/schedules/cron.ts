/** When a schedule runs next: cron with five or six fields by the clocks of a time zone, or every so often. */
import { Cron } from 'croner'
import type { Fault } from '../../domain/errors.ts'

/** One of the two is set. */
export interface Times {
  readonly Cron?: string | null | undefined
  /** A duration, such as `PT15M`. */
  readonly Every?: string | null | undefined
  readonly TimeZone: string
}

const DURATION = /^P(?=.)(?:(\d{1,2})D)?(?:T(?=.)(?:(\d{1,4})H)?(?:(\d{1,5})M)?)?$/
const MINUTE_MS = 60_000
const LONGEST_MS = 31 * 86_400_000
const NO_CRON = 'must be cron with five or six fields, such as 0 6 * * 1-5'

/** In ms since 1970; undefined: never again. @param since a run that was due: every so often counts on from it */
export function nextRun(
  { Cron: cron, Every, TimeZone }: Times,
  after: number,
  since = after,
): number | undefined {
  if (cron) return nextByCron(cron, TimeZone, after)
  const every = millisecondsIn(Every ?? '')!
  return since + (Math.floor((after - since) / every) + 1) * every
}

/** @throws Error for what is not cron, or not a time zone */
export function nextByCron(cron: string, zone: string, after: number): number | undefined {
  return new Cron(cron, { timezone: zone, paused: true }).nextRun(new Date(after))?.getTime()
}

/** What is wrong with it, if anything; its time zone is one. */
export function timesFault({ Cron: cron, Every, TimeZone }: Times, now: number): Fault | undefined {
  if (cron && Every) return { Field: 'Every', Message: 'goes without Cron: one of the two says when it runs' }
  if (!cron && !Every)
    return { Field: 'Cron', Message: 'is missing, and so is Every: one of the two says when it runs' }
  const Message = cron ? cronFault(cron, TimeZone, now) : everyFault(Every!)
  return Message === undefined ? undefined : { Field: cron ? 'Cron' : 'Every', Message }
}

function cronFault(cron: string, zone: string, now: number): string | undefined {
  if (!/^\S+( \S+){4,5}$/.test(cron.trim())) return NO_CRON
  try {
    return nextByCron(cron, zone, now) === undefined ? 'never comes' : undefined
  } catch {
    return NO_CRON
  }
}

function everyFault(text: string): string | undefined {
  const every = millisecondsIn(text)
  const isFit = every !== undefined && every >= MINUTE_MS && every <= LONGEST_MS
  return isFit ? undefined : 'must be a duration from PT1M to P31D, such as PT15M or PT6H'
}

function millisecondsIn(text: string): number | undefined {
  const found = DURATION.exec(text)
  if (!found) return undefined
  const [days = 0, hours = 0, minutes = 0] = found.slice(1).map((part) => Number(part ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * MINUTE_MS
}
