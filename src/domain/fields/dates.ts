/** Dates and timestamps as text (docs/interface.md#values): only days that the calendar has, times in UTC to the second. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Whether the text is a day of the calendar, `YYYY-MM-DD`, in the years 1 to 9999. */
export function isDate(text: string): boolean {
  const match = DATE.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

/**
 * The timestamp in the form that is stored, `YYYY-MM-DDThh:mm:ssZ`; an offset is applied, a fraction of a second is cut
 * off. Undefined when the text is not a timestamp.
 */
export function utcTimestamp(text: string): string | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match || !isDate(match[1]!)) return undefined
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? 0)]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const zone = match[5]!
  if (zone === 'Z') return `${match[1]}T${match[2]}:${match[3]}:${match[4] ?? '00'}Z`
  const [zoneHours, zoneMinutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (zoneHours > 23 || zoneMinutes > 59) return undefined
  const offset = (zone[0] === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes) * 60_000
  const utc = new Date(Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4] ?? '00'}Z`) - offset)
  const year = utc.getUTCFullYear()
  return year >= 1 && year <= 9999 ? timestampOf(utc.getTime()) : undefined
}

/** An ISO timestamp with milliseconds, cut to the second. */
export function secondsOf(iso: string): string {
  return iso.slice(0, 19) + 'Z'
}

/** The moment, in ms since 1970, in the form that is stored: `2026-03-01T09:30:15Z`. Of the years 1 to 9999. */
export function timestampOf(ms: number): string {
  return secondsOf(new Date(ms).toISOString())
}

/**
 * The last day, inclusive, of a span of months that begins on `from`: the day before the same day `months` later, or
 * the last of that month where it has no such day. 2026-01-01 and 12 months end on 2026-12-31; 2026-01-31 and one month
 * on 2026-02-28. Undefined for less than a month or past the year 9999.
 */
export function lastDayOfSpan(from: string, months: number): string | undefined {
  if (!Number.isInteger(months) || months < 1) return undefined
  const [year, month, day] = from.split('-').map(Number) as [number, number, number]
  const index = year * 12 + (month - 1) + months - (day === 1 ? 1 : 0)
  const [endYear, endMonth] = [Math.floor(index / 12), (index % 12) + 1]
  if (endYear > 9999) return undefined
  const endDay = day === 1 ? daysIn(endYear, endMonth) : Math.min(day - 1, daysIn(endYear, endMonth))
  return `${pad(endYear, 4)}-${pad(endMonth, 2)}-${pad(endDay, 2)}`
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
