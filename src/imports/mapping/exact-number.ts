/** Doubles that stand for a decimal and no other: what a client could send as a JSON number. */
import type { Decimal } from '../decimal.ts'

/** Every number of this many significant digits has a double of its own. */
const DIGITS_KEPT = 15

/** Undefined when no double stands for it exactly. */
export function exactNumber(plain: Decimal): number | undefined {
  const digits = plain.replace(/[-.]/g, '').replace(/^0+/, '')
  const significant = plain.includes('.') ? digits.replace(/0+$/, '') : digits
  if (significant.length > DIGITS_KEPT && !(Number.isSafeInteger(Number(plain)) && !plain.includes('.')))
    return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}
