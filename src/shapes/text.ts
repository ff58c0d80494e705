/** Texts in bodies. */
import { z } from 'zod'

/** Text of at most so many characters. They are counted as JSON Schema counts them: a letter beyond 16 bits is one. */
export function text(most: number, least = 0) {
  return z
    .string()
    .refine((value) => value.length <= most || (value.length <= 2 * most && [...value].length <= most), {
      error: `is longer than ${most} characters`,
      abort: true,
    })
    .refine((value) => value.length >= least, {
      error: least === 1 ? 'must not be empty' : `must have at least ${least} characters`,
    })
    .meta({ maxLength: most, ...(least > 0 && { minLength: least }) })
}
