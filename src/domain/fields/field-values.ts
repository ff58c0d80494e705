/** Values of fields by the field's type: each type has its rules in `types/`, and a place in the table here. */
import type { FieldDefinition, FieldType } from '../definition.ts'
import type { Json } from '../json.ts'
import { boolean } from './types/boolean.ts'
import { choice } from './types/choice.ts'
import { date } from './types/date.ts'
import { decimal } from './types/decimal.ts'
import { email } from './types/email.ts'
import { integer } from './types/integer.ts'
import { json } from './types/json.ts'
import { longtext } from './types/longtext.ts'
import { lookup } from './types/lookup.ts'
import { money } from './types/money.ts'
import type { TypeRules, ValueFault } from './types/rules.ts'
import { text } from './types/text.ts'
import { timestamp } from './types/timestamp.ts'
import { url } from './types/url.ts'

const types: { readonly [type in FieldType]: TypeRules } = {
  text,
  longtext,
  integer,
  decimal,
  boolean,
  date,
  timestamp,
  money,
  choice,
  lookup,
  email,
  url,
  json,
}

type Typed = Pick<FieldDefinition, 'type'>

/** Whether read models keep an index of the field's values, on every engine: lists by others look at each record. */
export function isIndexed({ type }: Typed): boolean {
  return types[type].indexed
}

export function rulesOfType({ type }: Typed): TypeRules {
  return types[type]
}

/** The canonical value, or what is wrong. `value` is not null. */
export function readValue(field: FieldDefinition, value: Json): Json | ValueFault {
  return types[field.type].read(value, field)
}

/**
 * Whether a value, as it is stored or served, is what the field's type holds. One that was written while the field had
 * another type may not be: it is shown as it was written, and counts as missing to filters, sorts and indexes.
 */
export function isOfType({ type }: Typed, value: Json): boolean {
  return types[type].holds(value)
}
