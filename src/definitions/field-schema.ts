/**
 * The shape of one field in a definition file: one variant per type, so that each type takes only the keys that mean
 * something for it.
 */
import { z } from 'zod'
import type { FieldType } from '../domain/definition.ts'

const PASCAL_CASE = /^[A-Z][A-Za-z0-9]*$/

export const pascalCase = z
  .string()
  .max(60)
  .regex(PASCAL_CASE, 'must be PascalCase: a capital, then letters and digits')
export const fieldName = pascalCase.describe('The name of another field of this object.')
export const sentence = z.string().min(1)
export const value = z.string().regex(/^\S(.*\S)?$/u, 'must be text without blanks at its ends')
const flag = z.boolean().exactOptional()
const number = z.number().exactOptional()
const length = z
  .int()
  .min(1)
  .max(100_000)
  .describe('The most characters that a value may have.')
  .exactOptional()

const common = {
  description: sentence.describe('What the field means, for users.').exactOptional(),
  required: flag.describe('Must have a value after every write.'),
  readOnly: flag.describe('Assigned by the service; refused in a request body.'),
  personal: flag.describe('Holds personal data.'),
}
const unique = { unique: flag.describe('No two records of a company share a value.') }
const searchable = { searchable: flag.describe('Its words are found by `search`.') }
const bounds = {
  minimum: number.describe('The least value; of money: the least Amount.'),
  maximum: number.describe('The greatest value; of money: the greatest Amount.'),
}
const unit = {
  unit: sentence.describe('The unit of the number, for readers: `months`, `m²`.').exactOptional(),
}
const fallback = <T extends z.ZodType<string | number | boolean>>(type: T) => ({
  default: type.describe('Taken on create when the body has none.').exactOptional(),
})

function fieldOfType<const T extends FieldType, K extends z.core.$ZodShape>(type: T, keys: K) {
  const name = pascalCase.describe('The name in requests, responses, events and filters.')
  return z.strictObject({ name, type: z.literal(type), ...common, ...keys }).meta({ title: `${type} field` })
}

/** One field of a definition file; its output is a `FieldDefinition`. */
export const field = z.discriminatedUnion('type', [
  fieldOfType('text', { ...unique, ...searchable, maxLength: length, ...fallback(z.string()) }),
  fieldOfType('longtext', { ...searchable, maxLength: length, ...fallback(z.string()) }),
  fieldOfType('integer', {
    ...unique,
    ...unit,
    minimum: z.int().describe('The least value.').exactOptional(),
    maximum: z.int().describe('The greatest value.').exactOptional(),
    ...fallback(z.int()),
  }),
  fieldOfType('decimal', { ...unit, ...bounds, ...fallback(z.number()) }),
  fieldOfType('boolean', fallback(z.boolean())),
  fieldOfType('date', {
    derived: z
      .strictObject({ from: fieldName, months: fieldName })
      .describe(
        'When none is given: the last day of the `months` (an integer field) that begin on `from` (a date).',
      )
      .exactOptional(),
    afterTodayOnCreate: flag.describe('On create the date must be later than today (UTC).'),
    notBefore: fieldName.describe('A date field that this one may not lie before.').exactOptional(),
    ...fallback(z.string()),
  }),
  fieldOfType('timestamp', fallback(z.string())),
  fieldOfType('money', bounds),
  fieldOfType('choice', {
    choices: z.array(value).min(1).max(500).describe('The values, in the order in which they are offered.'),
    strict: flag.describe('Only these values are taken; otherwise they are suggestions.'),
    ...unique,
    ...searchable,
    maxLength: length,
    ...fallback(z.string()),
  }),
  fieldOfType('lookup', {
    target: z.string().describe('The object whose records it points to.'),
    searchable: flag.describe('The words of the display field are found by `search`.'),
  }),
  fieldOfType('email', { ...unique, ...searchable, ...fallback(z.string()) }),
  fieldOfType('url', { ...unique, ...searchable, ...fallback(z.string()) }),
  fieldOfType('json', {}),
])
