/** A part of the past, as bodies name it. Days count whole, in UTC. */
import { z } from 'zod'
import { invalid } from '../domain/errors.ts'
import { isDate, secondsOf, utcTimestamp } from '../domain/fields/dates.ts'

/** Of the schema of a body. */
export const spanMembers = {
  From: z.string().describe('`beginning`, a day or a timestamp: from then on.'),
  To: z
    .string()
    .nullable()
    .describe('A day, the whole of it, or a timestamp: before then; null: until now.')
    .exactOptional(),
}

/** Timestamps; without `from`, from the beginning, without `to`, until now. */
export interface Span {
  readonly from?: string
  readonly to?: string
}

/** @throws Invalid */
export function spanOf({ From, To = null }: { readonly From: string; readonly To?: string | null }): Span {
  const from = From === 'beginning' ? undefined : (beginOf(From) ?? utcTimestamp(From))
  if (From !== 'beginning' && from === undefined)
    throw invalid('From', "must be 'beginning', a day (2026-03-31) or a timestamp (2026-03-31T12:00:00Z)")
  const to = To === null ? undefined : (beginOf(To, 1) ?? utcTimestamp(To))
  if (To !== null && to === undefined)
    throw invalid('To', 'must be a day (2026-03-31, the whole of it) or a timestamp (2026-03-31T12:00:00Z)')
  if (from !== undefined && to !== undefined && to <= from) throw invalid('To', 'must be later than From')
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

/** When a day begins, or the one so many days after it. */
function beginOf(value: string, after = 0): string | undefined {
  if (!isDate(value)) return undefined
  return secondsOf(new Date(Date.parse(value) + after * 86_400_000).toISOString())
}
