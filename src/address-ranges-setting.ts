/** Address ranges, separated by commas. */
import { z } from 'zod'
import { readRange } from './webhooks/addresses.ts'

export const addressRanges = z
  .string()
  .transform((text): readonly string[] =>
    text.trim() === '' ? [] : text.split(',').map((one) => one.trim()),
  )
  .refine(
    (ranges) => ranges.every((range) => readRange(range) !== undefined),
    'must be address ranges such as 10.0.0.0/8 or fd00::/8, separated by commas',
  )
