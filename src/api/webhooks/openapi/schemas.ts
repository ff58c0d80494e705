/** What OpenAPI says webhooks and their deliveries are. */
import { schemaRef, type Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }
const moment: Schema = { type: 'string', format: 'date-time' }
const momentOrNull: Schema = { type: ['string', 'null'], format: 'date-time' }
const count: Schema = { type: 'integer', minimum: 0 }

const whole = (description: string, properties: { readonly [name: string]: Schema }): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const says = (schema: Schema, description: string): Schema => ({ ...schema, description })

const events: Schema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Event names; `*` for all, `contract.*` for all of an object.',
}

const webhook: { readonly [name: string]: Schema } = {
  Id: keySchema('webhook'),
  Url: { type: 'string', format: 'uri', description: 'Where events are sent.' },
  Events: events,
  Description: textOrNull,
  Filter: says(textOrNull, 'Only records that fulfil it are sent; in the language of list filters.'),
  Ordered: {
    type: 'boolean',
    description: 'Whether what failed holds up what came later for the same record.',
  },
  IsActive: { type: 'boolean', description: 'Nothing is sent to a webhook that is not.' },
  DisabledReason: says(textOrNull, 'Why the service has disabled it, if it has.'),
  DisabledAt: momentOrNull,
  PreviousSecretUntil: says(momentOrNull, 'Until when the secret before the present one is valid, too.'),
  FailingSince: says(momentOrNull, 'Since when every attempt has failed.'),
  Pending: says(count, 'Deliveries that are still to be made.'),
  CreatedAt: moment,
  ModifiedAt: moment,
}

const secret: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description:
    'What deliveries are signed with. Generated when it is missing, and then shown in this answer only.',
}

const sendable: { readonly [name: string]: Schema } = {
  Url: webhook['Url']!,
  Events: events,
  Secret: secret,
  Description: { type: ['string', 'null'], maxLength: 500 },
  Filter: webhook['Filter']!,
  Ordered: webhook['Ordered']!,
  IsActive: webhook['IsActive']!,
}

const delivery: { readonly [name: string]: Schema } = {
  Id: keySchema('delivery'),
  Webhook: keySchema('webhook'),
  MessageId: says(text, 'The header `webhook-id`: the same whenever this event is sent.'),
  Event: text,
  Record: says(text, 'Key of the record that it is about.'),
  State: { type: 'string', enum: ['Pending', 'Delivered', 'Failed', 'Cancelled'] },
  Attempts: count,
  LastStatus: { type: ['integer', 'null'] },
  LastError: textOrNull,
  LastAttemptAt: momentOrNull,
  NextAttemptAt: momentOrNull,
  CreatedAt: moment,
}

const headers: Schema = { type: 'object', additionalProperties: { type: 'string' } }

export const webhookSchemas: { readonly [name: string]: Schema } = {
  Webhook: whole('A subscription. Its secret is never shown.', webhook),
  'Webhook.Fields': {
    type: 'object',
    description: 'A webhook, or the fields of it that were asked for.',
    properties: webhook,
    required: ['Id'],
    additionalProperties: false,
  },
  'Webhook.Secret': {
    ...whole('A webhook, with its secret where that was generated.', webhook),
    properties: {
      ...webhook,
      Secret: secret,
      Warning: says(text, 'That the secret is so short that it might be guessed.'),
    },
  },
  'Webhook.Create': {
    type: 'object',
    properties: sendable,
    required: ['Url', 'Events'],
    additionalProperties: false,
  },
  'Webhook.Patch': { type: 'object', properties: sendable, additionalProperties: false },
  'Webhook.Event': whole('An event that can be subscribed to.', {
    Event: text,
    Object: says(textOrNull, 'Whose record is sent.'),
  }),
  'Webhook.Replay': whole('What is sent again.', {
    Id: keySchema('replay'),
    Webhook: keySchema('webhook'),
    From: says(text, '`beginning`, or the moment from which events are sent.'),
    To: says(textOrNull, 'Only events before it are sent.'),
    State: {
      type: 'string',
      enum: ['Waiting', 'Running', 'Done'],
      description: '`Done`: all deliveries are made out; their own states say whether they arrived.',
    },
    Progress: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'How much of the events has been looked at.',
    },
  }),
  Delivery: whole('That an event is sent to a webhook, and what has come of it.', delivery),
  'Delivery.Detail': whole('A delivery with everything that was sent and answered.', {
    ...delivery,
    Body: says(text, 'The bytes of every attempt.'),
    Log: { type: 'array', items: schemaRef('Delivery.Attempt') },
  }),
  'Delivery.Attempt': whole('One attempt.', {
    At: moment,
    DurationMs: count,
    Request: whole('What was sent.', { Url: text, Headers: headers }),
    Response: {
      anyOf: [
        whole('What came back; of the body the beginning.', {
          Status: { type: 'integer' },
          Headers: headers,
          Body: text,
        }),
        { type: 'null' },
      ],
    },
    Error: says(textOrNull, 'Why there was no answer.'),
  }),
}
