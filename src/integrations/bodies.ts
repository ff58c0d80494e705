/** What the routes of integrations take, as schemas: the bodies are read by them, and OpenAPI describes them from them. */
import { z } from 'zod'
import { INBOX_STATES } from '../ports/inbox.ts'
import { spanMembers } from '../shapes/span.ts'
import { text } from '../shapes/text.ts'

const LONGEST_SECRET = 8_192
const CONTROL = /[\0-\x1f\x7f]/

const named = (most: number) =>
  text(most, 1).refine((value) => value.trim() !== '', { error: 'must not be blank' })

const secret = z
  .string()
  .refine((value) => value !== '' && value.length <= LONGEST_SECRET && !CONTROL.test(value), {
    error: `must be text of 1 to ${LONGEST_SECRET} characters, without control characters`,
  })
  .meta({ minLength: 1, maxLength: LONGEST_SECRET })

const setting = z.union([text(500), z.number(), z.boolean()], {
  error: 'must be text, a number, true or false',
})

/** Which address may be reached, and which names there are, is judged beside the file. */
const settable = {
  Name: named(100).exactOptional(),
  RunAs: named(60).describe('A role that you have.').exactOptional(),
  BaseUrl: z.string().nullable().exactOptional(),
  TokenUrl: z.string().nullable().exactOptional(),
  Settings: z.record(z.string(), setting).exactOptional(),
  Credentials: z
    .record(z.string(), secret.nullable())
    .describe('Values by name; null takes one away.')
    .exactOptional(),
}

export const newIntegration = z
  .strictObject({ Definition: z.string().describe('The name of its file.'), ...settable })
  .describe('An integration by its file.')

export const changedIntegration = z.strictObject(settable).describe('What is to change.')

export const rotation = z
  .strictObject({ Credential: z.string(), Value: secret })
  .describe('The next value; the present one stays valid for 24 hours.')

export const payloadPreview = z
  .strictObject({
    Entry: z.string().exactOptional(),
    Payload: z.unknown().refine((value) => value !== undefined),
  })
  .describe('A payload as the other system would send it.')

export const starting = z
  .strictObject({ InitialSync: z.boolean().exactOptional() })
  .describe('Whether what is on both sides already is taken over and sent first.')

export const replayedSpan = z
  .strictObject({
    ...spanMembers,
    States: z.array(z.enum(INBOX_STATES)).exactOptional(),
  })
  .describe('Which messages are applied again; those that were decided on, where no states are given.')

/** Which fields are in conflict, is judged beside the message. */
export const resolution = z
  .strictObject({ Take: z.record(z.string(), z.enum(['ours', 'theirs'])) })
  .describe('By field, whose value holds.')
