/** An integer that a double keeps exactly. */
import { fault, isNumber, withinBounds, type TypeRules } from './rules.ts'

export const integer: TypeRules = {
  read(value, field) {
    if (typeof value !== 'number' || !Number.isInteger(value)) return fault('must be an integer')
    if (!Number.isSafeInteger(value)) return fault('has more digits than are kept exactly')
    return withinBounds(value, field)
  },
  holds: isNumber,
  compares: 'number',
  takes: 'number',
  indexed: true,
}
