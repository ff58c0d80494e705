/**
 * Days and times as workbooks count them: days since the end of 1899 or since 1904, the time as a fraction. The calendar
 * of 1900 has a 29 February that never was, as number 60; days before it are one off.
 */
import type { TypedCell } from '../reader.ts'
import type { NumberShape } from './number-formats.ts'

const DAY_SECONDS = 86_400
/** Day 0 after the false 29 February, and before it, in days since 1970. */
const AFTER_FEBRUARY_1900 = -25_569
const BEFORE_MARCH_1900 = -25_568
const FROM_1904 = -24_107
const LAST_DAY = 2_932_896
const FALSE_DAY = 60

/** The cell of a number that is shown as a day or a time. */
export function dayCell(
  serial: number,
  shows: NonNullable<NumberShape['shows']>,
  from1904: boolean,
): TypedCell {
  let day = Math.floor(serial)
  let seconds = Math.round((serial - day) * DAY_SECONDS)
  if (seconds === DAY_SECONDS) {
    day++
    seconds = 0
  }
  if (shows === 'elapsed') return { kind: 'time', text: clock(day * DAY_SECONDS + seconds) }
  if (shows === 'time' && day === 0) return { kind: 'time', text: clock(seconds) }
  const kind = seconds === 0 && shows === 'date' ? 'date' : 'timestamp'
  const since1970 = day + (from1904 ? FROM_1904 : day < FALSE_DAY ? BEFORE_MARCH_1900 : AFTER_FEBRUARY_1900)
  if (day < 0 || since1970 > LAST_DAY)
    return { kind, text: String(serial), wrong: 'is shown as a day, and there is no such day' }
  if (!from1904 && day === FALSE_DAY)
    return { kind, text: '1900-02-29', wrong: 'is 29 February 1900, a day that never was' }
  const text = new Date(since1970 * DAY_SECONDS * 1000).toISOString().slice(0, 10)
  return { kind, text: kind === 'date' ? text : `${text}T${clock(seconds)}` }
}

function clock(seconds: number): string {
  const sign = seconds < 0 ? '-' : ''
  const all = Math.abs(seconds)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${sign}${two(all / 3600)}:${two((all % 3600) / 60)}:${two(all % 60)}`
}

/** The number of a day, a moment or a time, counted from 1900; undefined where that has none: before 1 March 1900. */
export function daySerial(text: string): number | undefined {
  const match = /^(?:(\d{4}-\d{2}-\d{2})(?:T|$))?(?:(\d{2,}):(\d{2}):(\d{2}))?$/.exec(text)
  if (!match) return undefined
  const [, date, hours = '0', minutes = '0', seconds = '0'] = match
  const fraction = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / DAY_SECONDS
  if (date === undefined) return fraction
  const day = Date.parse(`${date}T00:00:00Z`) / (DAY_SECONDS * 1000) - AFTER_FEBRUARY_1900
  return day > FALSE_DAY ? day + fraction : undefined
}
