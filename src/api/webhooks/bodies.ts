/** What the routes of webhooks take, as schemas: the bodies are read by them, and OpenAPI describes them from them. */
import { z } from 'zod'
import { spanMembers } from '../../shapes/span.ts'
import { text } from '../../shapes/text.ts'

export const MAX_EVENTS = 100
const MAX_SECRET = 256

/** Short secrets are taken, with a warning. */
const secret = z
  .string()
  .refine((value) => /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(value), {
    error: `must be text of 1 to ${MAX_SECRET} characters, without control characters`,
  })
  .meta({
    minLength: 1,
    maxLength: MAX_SECRET,
    description:
      'What deliveries are signed with. Generated when it is missing, and then shown in this answer only.',
  })

const events = z
  .array(z.string(), {
    error: ({ input }) =>
      input === undefined ? 'is required' : 'must be an array of event names, at least one',
  })
  .min(1, { error: 'must be an array of event names, at least one' })
  .max(MAX_EVENTS, { error: `has more than ${MAX_EVENTS} names` })
  .refine((names) => new Set(names).size === names.length, { error: 'names an event twice' })
  .meta({ uniqueItems: true, description: 'Event names; `*` for all, `contract.*` for all of an object.' })

const optional = {
  Secret: secret.exactOptional(),
  Description: text(500).nullable().exactOptional(),
  Filter: z
    .string()
    .nullable()
    .describe('Only records that fulfil it are sent; in the language of list filters.')
    .exactOptional(),
  Ordered: z
    .boolean()
    .describe('Whether what failed holds up what came later for the same record.')
    .exactOptional(),
  IsActive: z.boolean().describe('Nothing is sent to a webhook that is not.').exactOptional(),
}
const url = text(2_048).meta({ format: 'uri', description: 'Where events are sent.' })

export const newWebhook = z.strictObject({ Url: url, Events: events, ...optional })
export const changedWebhook = z.strictObject({
  Url: url.exactOptional(),
  Events: events.exactOptional(),
  ...optional,
})
export const newSecret = z.strictObject({ Secret: secret.exactOptional() })

/** Which part of the past is sent again. */
export const replaySpan = z.strictObject(spanMembers)
