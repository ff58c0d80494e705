/**
 * What a field accepts: one reader per type, from a JSON value of a request to the canonical value that is stored.
 *
 * A canonical value reads back as itself. `null` means no value and is handled before these are called.
 */
import type { FieldDefinition, FieldType } from '../definition.ts'
import { isDate, utcTimestamp } from './dates.ts'
import type { Json } from '../json.ts'
import { isKeyOf } from '../records/key.ts'
import { decimalsOf, isExact } from './money.ts'

/** What is wrong with a value, in words that follow the field's name. */
export class ValueFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

type Reader = (value: Json, field: FieldDefinition) => Json | ValueFault

const fault = (message: string) => new ValueFault(message)

const TEXT_LENGTH = 1_000
const LONGTEXT_LENGTH = 100_000
// One @, no blanks, a dot inside the domain: more is known only by sending. No invisible characters: an address with a zero-width space could not be typed again from what is shown.
const EMAIL =
  /^[^\s\p{Cc}\p{Cf}@"<>(),;:\\]+@[^\s\p{Cc}\p{Cf}@."<>(),;:\\]+(\.[^\s\p{Cc}\p{Cf}@."<>(),;:\\]+)+$/u

const readers: { readonly [type in FieldType]: Reader } = {
  text: (value, field) => readText(value, field.maxLength ?? TEXT_LENGTH),
  longtext: (value, field) => readText(value, field.maxLength ?? LONGTEXT_LENGTH),
  integer: (value, field) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return fault('must be an integer')
    if (!Number.isSafeInteger(value)) return fault('has more digits than are kept exactly')
    return withinBounds(value, field)
  },
  decimal: (value, field) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return fault('must be a number')
    return withinBounds(value, field)
  },
  boolean: (value) => (typeof value === 'boolean' ? value : fault('must be true or false')),
  date: (value) =>
    typeof value === 'string' && isDate(value) ? value : fault('must be a date that exists, as YYYY-MM-DD'),
  timestamp: (value) =>
    (typeof value === 'string' && utcTimestamp(value)) ||
    fault('must be a timestamp that exists, as YYYY-MM-DDThh:mm:ssZ'),
  money: (value, field) => {
    if (!isObject(value)) return fault('must be an object {Amount, Currency}')
    const unknown = Object.keys(value).find((name) => name !== 'Amount' && name !== 'Currency')
    if (unknown !== undefined)
      return fault(
        `has an unknown member ${JSON.stringify(unknown.slice(0, 40))}; it takes Amount and Currency`,
      )
    const { Amount: amount, Currency: currency } = value
    if (typeof amount !== 'number' || !Number.isFinite(amount)) return fault('needs Amount, a number')
    if (typeof currency !== 'string') return fault('needs Currency, a code such as EUR')
    const decimals = decimalsOf(currency)
    if (decimals === undefined)
      return fault(`has a Currency that is not an ISO 4217 code: ${JSON.stringify(currency.slice(0, 10))}`)
    if (!isExact(amount, decimals))
      return fault(`has an Amount with more digits than ${currency} keeps exactly (${decimals} decimals)`)
    const bounded = withinBounds(amount, field)
    return bounded instanceof ValueFault ? bounded : { Amount: amount === 0 ? 0 : amount, Currency: currency }
  },
  choice: (value, field) => {
    const text = readText(value, field.maxLength ?? 100)
    if (text instanceof ValueFault || !field.strict || field.choices?.includes(text)) return text
    return fault(`must be one of ${field.choices?.join(', ')}`)
  },
  lookup: (value, field) =>
    typeof value === 'string' && isKeyOf(field.target ?? '', value)
      ? value
      : fault(`must be the Key of a ${field.target}, as text: ${field.target}-…`),
  email: (value) => {
    const text = readText(value, 254)
    return text instanceof ValueFault || EMAIL.test(text) ? text : fault('must be an e-mail address')
  },
  url: (value) => {
    const text = readText(value, 2_048)
    if (text instanceof ValueFault) return text
    return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
      ? text
      : fault('must be an http or https URL')
  },
  json: (value) =>
    allText(value)
      ? value
      : fault('holds text that cannot be stored: NUL, half of a surrogate pair, or a member named __proto__'),
}

/** The canonical value, or what is wrong. `value` is not null. */
export function readValue(field: FieldDefinition, value: Json): Json | ValueFault {
  return readers[field.type](value, field)
}

/**
 * Whether a value, as it is stored or served, is what the field's type holds. One that was written while the field had
 * another type may not be: it is shown as it was written, and counts as none to filters, sorts and indexes.
 */
export function isOfType({ type }: Pick<FieldDefinition, 'type'>, value: Json): boolean {
  switch (type) {
    case 'json':
      return true
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
    case 'decimal':
      return typeof value === 'number'
    case 'money':
      return isObject(value) && typeof value['Amount'] === 'number' && typeof value['Currency'] === 'string'
    case 'lookup': // a Key, served with the name beside it
      return typeof (isObject(value) ? value['Id'] : value) === 'string'
    default:
      return typeof value === 'string'
  }
}

function readText(value: Json, maxLength: number): string | ValueFault {
  if (typeof value !== 'string') return fault('must be text')
  if (isLonger(value, maxLength)) return fault(`is longer than ${maxLength} characters`)
  if (!isStorable(value))
    return fault('holds characters that cannot be stored (NUL, or half of a surrogate pair)')
  return value
}

/** Counts characters, which take one or two units of text each. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || [...text].length > maxLength
}

/** NUL ends text in too many engines, and a lone surrogate has no UTF-8 form: neither would come back as it was sent. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function withinBounds(value: number, field: FieldDefinition): number | ValueFault {
  if (field.minimum !== undefined && value < field.minimum) return fault(`must be at least ${field.minimum}`)
  if (field.maximum !== undefined && value > field.maximum) return fault(`must be at most ${field.maximum}`)
  return value === 0 ? 0 : value // JSON has no -0
}

/** The API has bounded the depth, so recursion is safe. */
function allText(value: Json): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(
    ([name, member]) => isStorable(name) && name !== '__proto__' && allText(member),
  )
}

export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
