/** Wall clocks of time zones: the moment at which a clock there shows a date and time. */
import { recentlyUsed } from '../recently-used.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether the text names a time zone of the IANA database, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(zone: string): boolean {
  // Offsets such as +02:00 are also taken by Intl; they know no summer time.
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/**
 * The first moment, in ms since 1970, at which clocks of the zone show this date (`YYYY-MM-DD`) and time (`hh:mm`). Where
 * clocks are put forward over it, the moment at which they are.
 */
export function momentIn(zone: string, date: string, time: string): number {
  const name = `${zone} ${date} ${time}`
  let moment = moments.get(name)
  if (moment === undefined) moments.set(name, (moment = foundMoment(zone, date, time)))
  return moment
}

/** Intl takes some 10 µs for each look at a clock, and many records have the same dates. */
const moments = recentlyUsed<number>(20_000)

function foundMoment(zone: string, date: string, time: string): number {
  const shown = Date.parse(`${date}T${time}:00Z`)
  // No zone changes its clocks twice within two days.
  const before = offsetAt(zone, shown - DAY_MS)
  const after = offsetAt(zone, shown + DAY_MS)
  for (const offset of [Math.max(before, after), Math.min(before, after)])
    if (offsetAt(zone, shown - offset) === offset) return shown - offset
  return changeBetween(zone, shown - after, shown - before)
}

/** The date that clocks of the zone show. */
export function dateIn(zone: string, moment: number): string {
  return new Date(moment + offsetAt(zone, moment)).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000

/** By how many ms clocks of the zone are ahead of UTC. */
function offsetAt(zone: string, moment: number): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day, hour, minute, second } = part
  const whole = Math.floor(moment / 1_000) * 1_000
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole
}

/** The moment of the one change of clocks between two others. */
function changeBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return high
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}
