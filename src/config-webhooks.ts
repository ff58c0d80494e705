/** Settings of webhooks: where deliveries may go, how they are signed, when they are tried again. */
import { z } from 'zod'
import { readRange } from './webhooks/addresses.ts'
import { readSchedule, type Schedule } from './webhooks/schedule.ts'

/** Address ranges as CIDRs, separated by commas; kept as text. */
export const addressRanges = z
  .string()
  .transform((text): readonly string[] =>
    text.trim() === '' ? [] : text.split(',').map((one) => one.trim()),
  )
  .refine(
    (ranges) => ranges.every((range) => readRange(range) !== undefined),
    'must be address ranges such as 10.0.0.0/8 or fd00::/8, separated by commas',
  )

/** Headers that an attempt has anyway. */
const TAKEN =
  /^(host|connection|content-.*|transfer-encoding|user-agent|webhook-.*|daybook-.*|expect|te|upgrade)$/i

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .refine((name) => !TAKEN.test(name), 'is a header that deliveries have already')

export const retrySchedule = z.string().transform((text, context): Schedule => {
  const schedule = readSchedule(text)
  if (schedule) return schedule
  context.addIssue({
    code: 'custom',
    message: 'must be up to 20 waits of at most a day, such as 0s,5s,5m,2h, separated by commas',
  })
  return z.NEVER
})
