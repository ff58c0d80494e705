/// <reference lib="esnext.temporal" />
/** Times without a zone, as workbooks have them, by the clocks of a place. */

/** `YYYY-MM-DDThh:mm:ssZ` of a local time; undefined for one that the clocks there skip, or that is no time. */
export function utcOf(local: string, timeZone: string): string | undefined {
  try {
    const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone, { disambiguation: 'reject' })
    return `${zoned.toInstant().toString().slice(0, 19)}Z`
  } catch {
    return undefined
  }
}
