/** A part of the past, as bodies name it. Days count whole, in UTC. */
import { z } from 'zod'
import { invalid } from '../domain/errors.ts'
import { isDate, timestampOf, utcTimestamp } from '../domain/fields/dates.ts'

const DAY_MS = 86_400_000
const LAST = Date.parse('9999-12-31T23:59:59Z')

/** Of the schema of a body. */
export const spanMembers = {
  From: z
    .string()
    .refine((text) => text === 'beginning' || beginOf(text) !== undefined, {
      error: "must be 'beginning', a day (2026-03-31) or a timestamp (2026-03-31T12:00:00Z)",
    })
    .describe('`beginning`, a day or a timestamp: from then on.'),
  To: z
    .string()
    .refine((text) => beginOf(text, 1) !== undefined, {
      error: 'must be a day (2026-03-31, the whole of it) or a timestamp (2026-03-31T12:00:00Z)',
    })
    .nullable()
    .describe('A day, the whole of it, or a timestamp: before then; null: until now.')
    .exactOptional(),
}

/** Timestamps; without `from`, from the beginning, without `to`, until now. */
export interface Span {
  readonly from?: string
  readonly to?: string
}

/** Of what the schema has taken. @throws Invalid where it ends before it begins */
export function spanOf({ From, To = null }: { readonly From: string; readonly To?: string | null }): Span {
  const from = beginOf(From)
  const to = To === null ? undefined : beginOf(To, 1)
  if (from !== undefined && to !== undefined && to <= from) throw invalid('To', 'must be later than From')
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

/** The moment; of a day its beginning, or that of the one so many days after it. Undefined for other text. */
function beginOf(text: string, after = 0): string | undefined {
  if (!isDate(text)) return utcTimestamp(text)
  return timestampOf(Math.min(Date.parse(text) + after * DAY_MS, LAST))
}
