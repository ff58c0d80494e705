/** What the routes of notifications take, as schemas: the bodies are read by them, and OpenAPI describes them from them. */
import { z } from 'zod'
import { Invalid } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { isLocale } from '../../domain/time/locales.ts'
import { AREAS } from '../../notifications/objects.ts'
import { TRIGGER_NAME } from '../../notifications/triggers.ts'
import { bodyOrFaults } from '../../shapes/body.ts'
import { text } from '../../shapes/text.ts'

const LONGEST_HTML = 200_000

const written = (most: number) =>
  text(most, 1).refine((value) => value.trim() !== '', { error: 'must not be blank' })

export const newTemplate = z.strictObject({
  name: written(200).describe('The same name and locale is the next version.'),
  trigger: z
    .string()
    .max(80)
    .regex(TRIGGER_NAME, 'must be words in lowercase, joined by hyphens: contract-renewal-reminder')
    .describe('Words in lowercase, joined by hyphens.'),
  subject: written(1_000).describe('With tags, such as `{{ContractNumber}}`.'),
  body: written(LONGEST_HTML).describe('HTML with tags in text and in quoted attributes.'),
  area: z.enum(AREAS).describe("Left out, it is that of the trigger's folder.").exactOptional(),
  locale: z
    .string()
    .refine(isLocale, { error: 'must be a language: en, de-AT' })
    .meta({ maxLength: 20, default: 'en', description: 'A language: `en`, `de-AT`.' })
    .exactOptional(),
  text: text(LONGEST_HTML).describe('Left out, it is made from the HTML.').exactOptional(),
  layout: z.string().nullable().describe('Key or name of a layout.').exactOptional(),
})

export const newLayout = z.strictObject({
  name: written(200).describe('The same name is the next version.'),
  body: written(LONGEST_HTML).describe(
    'HTML with `{{content}}` once, where the body of a template comes to stand.',
  ),
})

export const sentTemplate = z.strictObject({ template: newTemplate })
export const sentLayout = z.strictObject({ layout: newLayout })

/** What is in `{template: …}` or `{layout: …}`; faults name its members. @throws Invalid */
export function readSent<T>(schema: z.ZodType<T>, body: Json, what: 'template' | 'layout'): T {
  const read = bodyOrFaults(schema, body)
  if ('data' in read) return read.data
  throw new Invalid(
    `The ${what} is not valid.`,
    read.faults.map(({ Field, Message }) => ({ Field: Field.replace(`${what}.`, ''), Message })),
  )
}

export const reverting = z.strictObject({ version: z.int().min(1) })

export const filledIn = z
  .strictObject({
    record: z.string().describe('Its Key.').exactOptional(),
    sample: z
      .looseObject({}, { error: 'must be an object such as {"Tenant": {"Name": "Ann"}}' })
      .describe('Made-up values instead, by tag.')
      .exactOptional(),
  })
  .refine(({ record, sample }) => record !== undefined || sample !== undefined, {
    path: ['record'],
    error: 'must be the Key of a record',
  })
  .refine(({ record, sample }) => record === undefined || sample === undefined, {
    path: ['sample'],
    error: 'is sent in place of record: send one of them',
  })

export const settled = z.strictObject({ as: z.enum(['sent', 'failed']) })

export const suppressed = z.strictObject({
  Address: text(254).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
  Category: z
    .string()
    .regex(/^(\*|[a-z0-9-]{1,60})$/, 'must be a category, or *')
    .describe('`*`, which it is without it: nothing at all.')
    .exactOptional(),
  Reason: text(1_000).exactOptional(),
})
