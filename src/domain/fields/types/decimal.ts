/** A number, as a double keeps it. */
import { fault, isNumber, withinBounds, type TypeRules } from './rules.ts'

export const decimal: TypeRules = {
  read(value, field) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return fault('must be a number')
    return withinBounds(value, field)
  },
  holds: isNumber,
  compares: 'number',
  takes: 'number',
  indexed: true,
}
