/** Rules such as "at 08:00, 90 and 30 days before EndDate": when they are due for a record. */
import type { Fields } from '../json.ts'
import { recentlyUsed, type RecentlyUsed } from '../recently-used.ts'
import { momentIn } from './zones.ts'

export interface DateRule {
  /** The date field that days are counted from. */
  readonly date: string
  /** Days after the date; before it where negative. */
  readonly days: readonly number[]
  /** The time of day, `hh:mm`. */
  readonly at: string
  /** Whose clocks: those of the company's zone, or of the one that is named. */
  readonly zone: string
}

/** The zone of a rule that goes by the company. */
export const COMPANY_ZONE = 'company'

export interface Occurrence {
  /** `<field>|<date>|<days>`: another date is another occurrence. */
  readonly occurrence: string
  /** In ms since 1970. */
  readonly due: number
}

/**
 * When the rule is due for a record with these fields; nothing when it has no such date.
 * @param zone of the record's company
 */
export function occurrencesOf(rule: DateRule, fields: Fields, zone: string): readonly Occurrence[] {
  const value = fields[rule.date]
  if (typeof value !== 'string') return []
  const clocks = rule.zone === COMPANY_ZONE ? zone : rule.zone
  let known = occurrences.get(rule)
  if (!known) occurrences.set(rule, (known = recentlyUsed(REMEMBERED)))
  const name = `${value} ${clocks}`
  let found = known.get(name)
  if (!found) known.set(name, (found = foundOccurrences(rule, value, clocks)))
  return found
}

/** Many records have the same dates, and each change of a record asks for them. */
const occurrences = new WeakMap<DateRule, RecentlyUsed<readonly Occurrence[]>>()
const REMEMBERED = 5_000

function foundOccurrences({ date, days, at }: DateRule, value: string, clocks: string): Occurrence[] {
  return days.flatMap((offset): Occurrence[] => {
    const day = daysAfter(value, offset)
    if (day === undefined) return []
    return [{ occurrence: `${date}|${value}|${offset}`, due: momentIn(clocks, day, at) }]
  })
}

/** Undefined past the years that dates have. */
function daysAfter(date: string, days: number): string | undefined {
  const moment = new Date(Date.parse(date) + days * 86_400_000)
  const year = moment.getUTCFullYear()
  return year >= 1 && year <= 9_999 ? moment.toISOString().slice(0, 10) : undefined
}
