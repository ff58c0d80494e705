/**
 * The file of an integration, `definitions/integrations/<name>.json`: who it talks to, what it takes in, asks for and sends,
 * and which side owns a field.
 */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { credentialName, entryName, headerName, path } from './names.ts'
import { polled } from './poll-schema.ts'
import { received } from './receive-schema.ts'
import { scimServer } from './scim-schema.ts'
import { sent } from './send-schema.ts'
import { watched } from './watch-schema.ts'

const SCENARIOS = [
  'lead-capture',
  'accounting',
  'bank-statement',
  'hr',
  'iot',
  'documents',
  'payment-gateway',
  'email-marketing',
  'other',
] as const

const credential = z.strictObject({
  name: credentialName,
  description: z.string().max(500).exactOptional(),
  required: z.boolean().default(true),
})

const oauth2 = z.strictObject({
  grant: z.enum(['client_credentials', 'refresh_token']),
  tokenUrl: z.url({ protocol: /^https?$/ }).describe('An installation may say another.'),
  clientId: credentialName,
  clientSecret: credentialName,
  refreshToken: credentialName.describe('What it begins with; the later ones are kept.').exactOptional(),
  scope: z.string().max(500).exactOptional(),
})

const session = z.strictObject({
  method: z.enum(['PUT', 'POST']),
  path: z
    .string()
    .regex(/^\/\S{0,200}$/, 'must begin with /')
    .describe('After the base address, or after the TokenUrl that an installation says.'),
  parameters: z
    .record(z.string().max(60), credentialName)
    .describe('Query parameters, and their credentials.'),
  until: z
    .strictObject({ parameter: z.string().max(60), days: z.int().min(1).max(30) })
    .describe('The parameter that asks for its last day, so many days ahead.')
    .exactOptional(),
  token: path.describe('Where it stands in the answer.'),
  ends: path.describe('Where the answer says when it ends, as a timestamp or a date.').exactOptional(),
  user: z
    .string()
    .max(60)
    .describe('Requests have the token as the password of this user; left out: as a bearer token.')
    .exactOptional(),
})

/** How requests to the other system are authenticated; names of credentials. */
const authentication = z.union([
  z.strictObject({ bearer: credentialName }),
  z.strictObject({ basic: z.strictObject({ user: credentialName, password: credentialName }) }),
  z.strictObject({ header: headerName, secret: credentialName }),
  z.strictObject({ oauth2 }),
  z.strictObject({ session }).describe('A token that is asked for and ends by itself.'),
])

const setting = z.strictObject({
  name: credentialName,
  description: z.string().max(500),
  default: z.union([z.string().max(500), z.number(), z.boolean()]).exactOptional(),
})

export const integrationFile = z.strictObject({
  $schema: z.string().describe('Where editors find the schema of this file.').exactOptional(),
  integration: entryName,
  scenario: z.enum(SCENARIOS),
  title: z.string().min(1).max(100).describe('As people know it; history says "by Stripe (integration)".'),
  description: z.string().max(1000),
  baseUrl: z
    .url({ protocol: /^(https?|mqtts?)$/ })
    .describe('Where requests go; an installation may say another.')
    .exactOptional(),
  credentials: z.array(credential).max(20).default([]),
  settings: z.array(setting).max(30).default([]),
  authentication: authentication.exactOptional(),
  rate: z
    .strictObject({ requests: z.int().min(1).max(10_000), seconds: z.int().min(1).max(3600) })
    .describe('The most requests that the other system takes.')
    .exactOptional(),
  receive: z.array(received).max(20).default([]),
  poll: z.array(polled).max(20).default([]),
  watch: z.array(watched).max(5).default([]),
  subscribe: z
    .strictObject({
      topics: expression.describe('Filters of topics, in one text, separated by commas.'),
      as: entryName.describe('The entry of `receive` that reads each message.'),
    })
    .describe('An MQTT broker at the base address, mqtts://…, that delivers messages.')
    .exactOptional(),
  send: z.array(sent).max(30).default([]),
  scim: scimServer.describe('A server of SCIM: a directory reads and writes users here.').exactOptional(),
  owners: z
    .record(z.string().max(40), z.record(z.string().max(60), z.enum(['ours', 'theirs', 'newest'])))
    .describe(
      'By object and field: whose value holds. A field that is not named and was changed on both sides waits for a person.',
    )
    .default({}),
})

export type OAuth2 = z.infer<typeof oauth2>
export type Session = z.infer<typeof session>
export type IntegrationDefinition = z.infer<typeof integrationFile>
