/** One line of text, of up to `maxLength` characters. */
import { isText, readText, type TypeRules } from './rules.ts'

const MAX_LENGTH = 1_000

export const text: TypeRules = {
  read: (value, { maxLength = MAX_LENGTH }) => readText(value, maxLength),
  holds: isText,
  compares: 'text',
  takes: 'text',
  indexed: true,
}
