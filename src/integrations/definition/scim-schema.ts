/** What a directory that speaks SCIM (RFC 7644) finds here: users, and which field stands behind which of their attributes. */
import { z } from 'zod'
import { ATTRIBUTE_NAMES } from '../scim/attributes.ts'
import { expression } from './expression-schema.ts'
import { credentialName } from './names.ts'

const mapped = z.strictObject({
  field: z.string().regex(/^[A-Z][A-Za-z0-9]{0,59}$/, 'must be the name of a field'),
  otherwise: expression
    .describe('What the field gets where the attribute is not sent: paths name other attributes.')
    .exactOptional(),
  true: z.string().max(100).describe('Of active: the choice that it sets.').exactOptional(),
  false: z.string().max(100).describe('Of active: the one choice that means that it is not.').exactOptional(),
})

export const scimServer = z.strictObject({
  bearer: credentialName.describe('The token that the directory sends.'),
  users: z.strictObject({
    object: z.string().max(40),
    by: z
      .enum(ATTRIBUTE_NAMES)
      .describe('The attribute by which a record that is there already, and is not a user yet, becomes one.')
      .exactOptional(),
    attributes: z.partialRecord(z.enum(ATTRIBUTE_NAMES), mapped),
  }),
})

export type ScimServer = z.infer<typeof scimServer>
