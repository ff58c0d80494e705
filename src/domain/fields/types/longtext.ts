/** Text of any length that a record may have, such as notes; searchable, not indexed for order. */
import { isText, readText, type TypeRules } from './rules.ts'

const MAX_LENGTH = 100_000

export const longtext: TypeRules = {
  read: (value, { maxLength = MAX_LENGTH }) => readText(value, maxLength),
  holds: isText,
  compares: 'text',
  takes: 'text',
  indexed: false,
}
