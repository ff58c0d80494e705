/** An http or https URL. */
import { fault, isText, readText, ValueFault, type TypeRules } from './rules.ts'

export const url: TypeRules = {
  read(value) {
    const text = readText(value, 2_048)
    if (text instanceof ValueFault) return text
    return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
      ? text
      : fault('must be an http or https URL')
  },
  holds: isText,
  compares: 'text',
  takes: 'text',
  indexed: true,
}
