/** Times of other systems as dates and timestamps of records. */
import { isDate, timestampOf, utcTimestamp } from '../../domain/fields/dates.ts'
import type { Json } from '../../domain/json.ts'
import { shown, Unmappable } from './unmappable.ts'

/** The years 1 to 9999. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** Seconds or milliseconds since 1970, as number or text. */
export function unixOf(value: Json, unit: 's' | 'ms'): string {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  const ms = Number(text) * (unit === 's' ? 1_000 : 1)
  if (!/^-?\d{1,15}(\.\d{1,9})?$/.test(text) || ms < EARLIEST || ms > LATEST)
    throw new Unmappable(`${shown(value)} is not a time in ${unit === 's' ? 'seconds' : 'milliseconds'}`)
  return timestampOf(ms)
}

/** A timestamp of ISO 8601; `/Date(1518685950940+0000)/`, as .NET writes it, too. `zone`: of a time that names none. */
export function isoOf(value: Json, zone: string | undefined): string {
  const text = typeof value === 'string' ? value.trim() : ''
  const dotNet = /^\/Date\((-?\d{1,15})([+-]\d{4})?\)\/$/.exec(text)?.[1]
  if (dotNet !== undefined) return unixOf(dotNet, 'ms')
  const withT = text.replace(/^(\d{4}-\d{2}-\d{2}) (?=\d{2}:)/, '$1T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
  const stamp = utcTimestamp(withT) ?? (zone === undefined ? undefined : utcTimestamp(withT + zone))
  if (stamp === undefined) throw new Unmappable(`${shown(value)} is not a timestamp`)
  return stamp
}

/** The day of a date or of a timestamp, as it is written: no zone moves it. */
export function dateOf(value: Json): string {
  const day = typeof value === 'string' ? value.trim().slice(0, 10) : ''
  const isStamp =
    typeof value === 'string' && (value.trim().length === 10 || /^[T ]/.test(value.trim().slice(10)))
  if (!isStamp || !isDate(day)) throw new Unmappable(`${shown(value)} is not a date`)
  return day
}
