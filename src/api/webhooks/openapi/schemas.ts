/** What OpenAPI says webhooks and their deliveries are. */
import { described } from '../../openapi/described.ts'
import { schemaRef, type Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { changedWebhook, newWebhook } from '../bodies.ts'

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

const sendable = described(newWebhook).properties!

const webhook: { readonly [name: string]: Schema } = {
  Id: keySchema('webhook'),
  Url: sendable['Url']!,
  Events: sendable['Events']!,
  Description: textOrNull,
  Filter: sendable['Filter']!,
  Ordered: sendable['Ordered']!,
  IsActive: sendable['IsActive']!,
  DisabledReason: says(textOrNull, 'Why the service has disabled it, if it has.'),
  DisabledAt: momentOrNull,
  PreviousSecretUntil: says(momentOrNull, 'Until when the secret before the present one is valid, too.'),
  FailingSince: says(momentOrNull, 'Since when every attempt has failed.'),
  Pending: says(count, 'Deliveries that are still to be made.'),
  CreatedAt: moment,
  ModifiedAt: moment,
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
      Secret: sendable['Secret']!,
      Warning: says(text, 'That the secret is so short that it might be guessed.'),
    },
  },
  'Webhook.Create': described(newWebhook),
  'Webhook.Patch': described(changedWebhook),
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
