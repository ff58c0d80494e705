/** Schemas of integrations. */
import {
  changedIntegration,
  newIntegration,
  payloadPreview,
  replayedSpan,
  rotation,
} from '../../../integrations/bodies.ts'
import { integrationDefinition, SENDING_STATES } from '../../../integrations/objects.ts'
import { INBOX_STATES } from '../../../ports/inbox.ts'
import { described } from '../../openapi/described.ts'
import type { Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, readSchemas } from '../../openapi/service-object.ts'
import { shownDefinition } from '../../records/service-records.ts'

export const definition = shownDefinition(integrationDefinition)

const text: Schema = { type: 'string' }
const optional: Schema = { type: ['string', 'null'] }
const time: Schema = { type: ['string', 'null'], format: 'date-time' }
const count: Schema = { type: 'integer', minimum: 0 }
const list = (items: Schema): Schema => ({ type: 'array', items })
const named = (more: { readonly [name: string]: Schema } = {}) =>
  list(closed({ Name: text, Description: optional, ...more }))
const credentialsSet = list(closed({ Name: text, SetAt: time, PreviousUntil: time }))
const values: Schema = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }
const special = {
  CredentialsSet: { ...credentialsSet, description: 'Which credentials it has; never their values.' },
  Settings: { ...values, type: ['object', 'null'] },
} satisfies { [name: string]: Schema }

const message = {
  Id: keySchema('inbox'),
  Entry: text,
  Source: { type: 'string', description: 'What the sender knows it by.' },
  State: { type: 'string', enum: INBOX_STATES },
  Reason: optional,
  Subject: optional,
  ReceivedAt: { type: 'string', format: 'date-time' },
  Arrivals: count,
  Attempts: count,
  NextAttemptAt: time,
  Results: list({ type: 'object' }),
} satisfies { [name: string]: Schema }

export const integrationSchemas: { readonly [name: string]: Schema } = {
  ...readSchemas(definition, special),
  'Integration.Create': described(newIntegration),
  'Integration.Change': described(changedIntegration),
  'Integration.Rotate': described(rotation),
  'Integration.File': {
    ...closed({
      Definition: text,
      Scenario: text,
      Title: text,
      Description: text,
      BaseUrl: optional,
      Credentials: named({ Required: { type: 'boolean' } }),
      Settings: named({ Default: { type: ['string', 'number', 'boolean', 'null'] } }),
      Receives: named({ IsForm: { type: 'boolean', description: 'Whether people fill it in on a page.' } }),
      Polls: named({ EverySeconds: count }),
      Sends: named(),
      Scim: {
        ...closed({
          Object: { ...text, description: 'The object that users are.' },
          Credential: { ...text, description: 'The credential that the directory sends.' },
        }),
        type: ['object', 'null'],
        description: 'What a directory finds at `/scim/v2/{key}`; null: nothing.',
      },
    }),
    description: 'An integration that can be set up.',
  },
  'Integration.Preview': described(payloadPreview),
  'Integration.Result': {
    ...closed(
      {
        Object: text,
        Did: {
          type: 'string',
          enum: ['created', 'updated', 'unchanged', 'ignored', 'waiting', 'rejected', 'conflict'],
        },
        Record: optional,
        Reason: text,
        Missing: list(text),
        Disputed: list(closed({ Field: text, Ours: {}, Theirs: {} })),
        Fields: { type: 'object' },
      },
      ['Object', 'Did', 'Record'],
    ),
    description: 'A change that a payload means.',
  },
  'Integration.Replay': described(replayedSpan),
  'Integration.Sent': {
    ...closed({
      Id: text,
      Entry: text,
      Record: text,
      Event: text,
      State: { type: 'string', enum: SENDING_STATES },
      Attempts: count,
      Status: { type: ['integer', 'null'] },
      ExternalId: optional,
      Reason: optional,
      CreatedAt: { type: 'string', format: 'date-time' },
      ModifiedAt: { type: 'string', format: 'date-time' },
    }),
    description: 'A change of a record that is sent.',
  },
  'Integration.Message': { ...closed(message), description: 'A message that was received.' },
  'Integration.Message.Whole': {
    ...closed({ ...message, Payload: text }),
    description: 'A message with its payload.',
  },
}
