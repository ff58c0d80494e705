/**
 * Exact decimals as text, such as `-1234.50`: amounts are added and compared without a double in between.
 *
 * The canonical form has a minus or no sign, no group signs, no exponent and no leading zeros; trailing zeros stay, since
 * they say how exact the number was written.
 */

export type Decimal = string

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const SCIENTIFIC = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/
const MOST_DIGITS = 400

export const isDecimal = (text: string): text is Decimal => DECIMAL.test(text)

/** A number as programs write it (`.5`, `+1`, `007`, `1.5e3`) in the canonical form; undefined when it is not one. */
export function plainDecimal(text: string): Decimal | undefined {
  const match = SCIENTIFIC.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', decimals = '', exponent = '0'] = match
  if (whole + decimals === '') return undefined
  const shift = Number(exponent)
  if (Math.abs(shift) > MOST_DIGITS) return undefined
  const places = decimals.length - shift
  const digits = whole + decimals + '0'.repeat(Math.max(0, -places))
  return written(BigInt(digits) * (sign === '-' ? -1n : 1n), Math.max(0, places))
}

export const negated = (decimal: Decimal): Decimal =>
  decimal.startsWith('-') ? decimal.slice(1) : isZero(decimal) ? decimal : `-${decimal}`

export const absolute = (decimal: Decimal): Decimal => decimal.replace('-', '')

export const isZero = (decimal: Decimal): boolean => /^-?0(?:\.0+)?$/.test(decimal)

export const isNegative = (decimal: Decimal): boolean => decimal.startsWith('-') && !isZero(decimal)

/** The sum, with as many decimals as the most exact of them. */
export function sum(decimals: Iterable<Decimal>): Decimal {
  let total = 0n
  let places = 0
  for (const decimal of decimals) {
    const own = placesOf(decimal)
    if (own > places) {
      total *= 10n ** BigInt(own - places)
      places = own
    }
    total += unscaled(decimal, places)
  }
  return written(total, places)
}

/** Below zero, zero or above it, as `a` is less than, equal to or more than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  const places = Math.max(placesOf(a), placesOf(b))
  const difference = unscaled(a, places) - unscaled(b, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export const isEqual = (a: Decimal, b: Decimal): boolean => compare(a, b) === 0

/** With exactly `places` decimals; undefined when digits other than zeros would be lost. */
export function withPlaces(decimal: Decimal, places: number): Decimal | undefined {
  const own = placesOf(decimal)
  if (own <= places) return written(unscaled(decimal, places), places)
  const [whole = '', decimals = ''] = decimal.split('.')
  if (/[1-9]/.test(decimals.slice(places))) return undefined
  return written(unscaled(places === 0 ? whole : `${whole}.${decimals.slice(0, places)}`, places), places)
}

/** In the smallest unit of a currency with so many decimals: `-1234.5` of euros is `-123450n`. */
export const unscaled = (decimal: Decimal, places: number): bigint => {
  const [whole = '', decimals = ''] = decimal.split('.')
  return BigInt(whole.replace('-', '') + decimals.padEnd(places, '0')) * (decimal.startsWith('-') ? -1n : 1n)
}

/** The decimal of so many of a smallest unit. */
export function written(value: bigint, places: number): Decimal {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const cut = digits.length - places
  return (value < 0n ? '-' : '') + digits.slice(0, cut) + (places > 0 ? `.${digits.slice(cut)}` : '')
}

export const placesOf = (decimal: Decimal): number => decimal.split('.')[1]?.length ?? 0
