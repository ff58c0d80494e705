/** Times without a zone, as workbooks have them, by the clocks of a place. */
/// <reference lib="esnext.temporal" />
import { secondsOf } from '../../domain/fields/dates.ts'

/** `YYYY-MM-DDThh:mm:ssZ` of a local time; undefined for one that the clocks there skip or show twice, and for what is not a time. */
export function utcOf(local: string, timeZone: string): string | undefined {
  try {
    const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone, { disambiguation: 'reject' })
    return secondsOf(zoned.toInstant().toString())
  } catch {
    return undefined
  }
}
