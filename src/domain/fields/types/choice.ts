/** One of the values that the definition lists; other text is accepted too, unless the field is `strict`. */
import { meantName } from '../../filter/closest-name.ts'
import { fault, isText, readText, ValueFault, type TypeRules } from './rules.ts'

const MAX_LENGTH = 100

export const choice: TypeRules = {
  read(value, { choices, strict, maxLength = MAX_LENGTH }) {
    const text = readText(value, maxLength)
    if (text instanceof ValueFault || !strict || choices?.includes(text)) return text
    return fault(`must be one of ${choices?.join(', ')}${meantName(text, choices ?? [])}`)
  },
  holds: isText,
  compares: 'exact',
  takes: 'text',
  indexed: true,
}
