/** An e-mail address. */
import { fault, isText, readText, ValueFault, type TypeRules } from './rules.ts'

// One @, no blanks, a dot inside the domain: more is known only by sending. No invisible characters: an address with a
// zero-width space could not be typed again from what is shown.
const EMAIL =
  /^[^\s\p{Cc}\p{Cf}@"<>(),;:\\]+@[^\s\p{Cc}\p{Cf}@."<>(),;:\\]+(\.[^\s\p{Cc}\p{Cf}@."<>(),;:\\]+)+$/u

export const email: TypeRules = {
  read(value) {
    const text = readText(value, 254)
    return text instanceof ValueFault || EMAIL.test(text) ? text : fault('must be an e-mail address')
  },
  holds: isText,
  compares: 'text',
  takes: 'text',
  indexed: true,
}
