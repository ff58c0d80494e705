/** The moment at which a message was signed: a copy that is sent again much later is refused. */
import { utcTimestamp } from '../../domain/fields/dates.ts'
import type { HmacScheme } from '../definition/verify-schema.ts'
import type { Doubt, Verifying } from './inbound.ts'

export function doubtOfTime(
  { from, unit, tolerance }: NonNullable<HmacScheme['timestamp']>,
  { inbound, now }: Verifying,
  tokens: ReadonlyMap<string, string>,
): Doubt {
  const text = 'token' in from ? tokens.get(from.token) : inbound.headers[from.header]
  const at = text === undefined ? undefined : millisecondsOf(text, unit)
  if (at === undefined) return 'the time of the signature is missing'
  const seconds = Math.abs(now - at) / 1_000
  return seconds <= tolerance ? undefined : `the signature is ${Math.round(seconds)} seconds old or ahead`
}

function millisecondsOf(text: string, unit: 's' | 'ms' | 'iso' | 'http'): number | undefined {
  if (unit === 's' || unit === 'ms') {
    if (!/^\d{1,15}$/.test(text)) return undefined
    return unit === 's' ? Number(text) * 1_000 : Number(text)
  }
  if (unit === 'iso') {
    const stamp = utcTimestamp(text)
    return stamp === undefined ? undefined : Date.parse(stamp)
  }
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : NaN
  return Number.isNaN(at) ? undefined : at
}
