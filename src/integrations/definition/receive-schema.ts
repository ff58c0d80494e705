/** What an integration receives: how a message is believed, what it is known by, and the changes that it means. */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { entryName, path } from './names.ts'
import { request } from './request-schema.ts'
import { verifyScheme } from './verify-schema.ts'

const fieldName = z.string().regex(/^[A-Z][A-Za-z0-9]{0,59}$/, 'must be the name of a field')
const plain = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

/** Every path must hold one of the values; null: there is none. */
const when = z.record(path, z.union([plain, z.array(plain).min(1).max(50)]))

/** One change of one record. */
export const rule = z.strictObject({
  when: when.describe('Which payloads mean this change; all of them, where it is left out.').exactOptional(),
  object: z.string().max(40),
  by: z
    .record(fieldName, expression)
    .refine((fields) => Object.keys(fields).length === 1, { error: 'must name one unique field' })
    .describe('The unique field that the record is found and created by.')
    .exactOptional(),
  link: expression.describe('The Id that the record has in the other system.').exactOptional(),
  create: z.boolean().default(true).describe('Whether a record that is not found is created.'),
  guard: z
    .string()
    .max(1000)
    .describe('A filter that the record must pass as it is now; one that does not is left alone.')
    .exactOptional(),
  action: z.string().max(60).describe('The workflow action by which fields are set.').exactOptional(),
  set: z.record(fieldName, expression),
})

/** Asked for by what the message names, and mapped instead of it; `$.` begins at the message. */
const refetch = z.strictObject({
  request,
  item: path.describe('Where it stands in the answer.').exactOptional(),
})

export const received = z.strictObject({
  name: entryName,
  description: z.string().max(500).exactOptional(),
  body: z
    .enum(['json', 'form', 'senml'])
    .default('json')
    .describe('`senml`: a Sensor Measurement List in JSON, as `readings` and `others`, resolved.'),
  verify: z.array(verifyScheme).min(1).max(5),
  handshake: z
    .strictObject({ query: z.string().max(40) })
    .describe('A first request whose parameter is sent back as text.')
    .exactOptional(),
  id: expression
    .describe('What the message is known by: a second one with the same Id changes nothing. Else its digest.')
    .exactOptional(),
  each: path.describe('The list of a message that brings several.').exactOptional(),
  refetch: refetch.exactOptional(),
  at: expression
    .describe('When it happened there: a message that is older than what was applied changes nothing.')
    .exactOptional(),
  polls: entryName
    .describe(
      'The poll that is run at once: the message only says that there is something, and there is no `map`.',
    )
    .exactOptional(),
  map: z.array(rule).max(50).default([]),
})

export type Rule = z.infer<typeof rule>
export type Refetch = z.infer<typeof refetch>
export type Received = z.infer<typeof received>
export type When = z.infer<typeof when>
