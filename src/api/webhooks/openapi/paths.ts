/** What OpenAPI says of `/api/v1/webhooks` (docs/interface.md#webhook-routes, docs/open-facts.md 18 and 19). */
import type { AreaDescription } from '../../area.ts'
import {
  reference,
  schemaRef,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
} from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { listParameters } from '../../records/openapi/list-parameters.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { webhookDefinition } from '../../../webhooks/objects.ts'
import { described } from '../../openapi/described.ts'
import { newSecret, replaySpan } from '../bodies.ts'
import { webhookSchemas } from './schemas.ts'
import { body, json, named, page, PAGING, success, writeHeaders } from '../../openapi/wrappers.ts'

const tags = ['Webhooks']
const keyParameter = (name: string, object: string): Parameter => ({
  name,
  in: 'path',
  description: `The Key of the ${object}.`,
  required: true,
  schema: keySchema(object),
  example: sampleKey(object),
})
const key = keyParameter('key', 'webhook')
const delivery = keyParameter('delivery', 'delivery')
const replay = keyParameter('replay', 'replay')
const writing = [reference('parameters', 'IdempotencyKey'), reference('parameters', 'Reason')]
const ifMatch = reference('parameters', 'IfMatch')

const one = (schema: string, description: string, headers?: Response['headers']): Response => ({
  description,
  ...(headers && { headers }),
  content: json(success(schemaRef(schema))),
})
const many = (schema: string, description: string): Response => ({
  description,
  content: page(schemaRef(schema)),
})
const operation = (
  operationId: string,
  summary: string,
  rest: Omit<Operation, 'operationId' | 'summary' | 'tags'>,
): Operation => ({ operationId, summary, tags, ...rest })
const sent = (
  operationId: string,
  summary: string,
  parameters: Operation['parameters'] & object,
): Operation =>
  operation(operationId, summary, {
    parameters: [...parameters, ...writing],
    responses: {
      202: one(
        'Delivery',
        'It is under way; the delivery shows the outcome.',
        named(['Idempotency-Replayed']),
      ),
      ...errors(404, 409, 413, 415),
    },
  })

const EXAMPLE = {
  Url: 'https://example.com/daybook',
  Events: ['contract.*', 'payment.received'],
  Secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
}

const deleted: Schema = {
  type: 'object',
  properties: { Id: keySchema('webhook'), IsDeleted: { const: true } },
  required: ['Id', 'IsDeleted'],
  additionalProperties: false,
}

const filters: readonly Parameter[] = [
  {
    name: 'state',
    in: 'query',
    description: 'Only deliveries in this state.',
    schema: { type: 'string', enum: ['pending', 'delivered', 'failed', 'cancelled'] },
  },
  {
    name: 'event',
    in: 'query',
    description: 'Only deliveries of this event, by its name; one that there is not is refused.',
    schema: { type: 'string' },
    example: 'contract.created',
  },
  {
    name: 'record',
    in: 'query',
    description: 'Only deliveries about the record with this Key.',
    schema: { type: 'string' },
    example: `contract-${'0'.repeat(26)}`,
  },
]

export const webhooksDescription: AreaDescription = {
  tag: { name: 'Webhooks', description: 'Signed notifications of events, and what became of each.' },
  schemas: webhookSchemas,
  paths: {
    '/api/v1/webhooks': {
      get: operation('listWebhooks', 'List webhooks', {
        parameters: listParameters(
          {
            ...webhookDefinition,
            fields: webhookDefinition.fields.filter(({ name }) => !/Secret$/.test(name)),
          },
          new Map(),
        ),
        responses: { 200: many('Webhook.Fields', 'A page of webhooks.'), ...errors() },
      }),
      post: operation('createWebhook', 'Register a webhook', {
        description: 'Events that happen from now on are sent to it.',
        parameters: writing,
        requestBody: body(json(schemaRef('Webhook.Create'), EXAMPLE)),
        responses: {
          201: one('Webhook.Secret', 'The new webhook.', writeHeaders('ETag', 'Location')),
          ...errors(409, 413, 415),
        },
      }),
    },
    '/api/v1/webhooks/events': {
      get: operation('listWebhookEvents', 'List the events that can be subscribed to', {
        parameters: PAGING,
        responses: { 200: many('Webhook.Event', 'A page of event names.'), ...errors() },
      }),
    },
    '/api/v1/webhooks/{key}': {
      get: operation('getWebhook', 'Get a webhook', {
        parameters: [key, reference('parameters', 'IfNoneMatch')],
        responses: {
          200: one('Webhook', 'The webhook.', named(['ETag'])),
          304: {
            description: 'It is still the version that `If-None-Match` names.',
            headers: named(['ETag']),
          },
          ...errors(404),
        },
      }),
      patch: operation('patchWebhook', 'Change a webhook', {
        description:
          'Changes the fields that are sent; null clears. A secret that is sent replaces the other at once: to have both valid for a day, rotate it. `IsActive: true` turns a webhook on that was disabled.',
        parameters: [key, ifMatch, ...writing],
        requestBody: body(json(schemaRef('Webhook.Patch'), { IsActive: true })),
        responses: {
          200: one('Webhook.Secret', 'The webhook as it is now.', writeHeaders('ETag')),
          ...errors(404, 409, 412, 413, 415),
        },
      }),
      delete: operation('deleteWebhook', 'Delete a webhook', {
        description: 'Nothing is sent to it any more; what was still to be sent is cancelled.',
        parameters: [key, ifMatch, ...writing],
        responses: {
          200: {
            description: 'It is deleted.',
            headers: writeHeaders('ETag'),
            content: json(success(deleted)),
          },
          ...errors(404, 409, 412, 413, 415),
        },
      }),
    },
    '/api/v1/webhooks/{key}/ping': {
      post: sent('pingWebhook', 'Send a test: the event `webhook.ping`', [key]),
    },
    '/api/v1/webhooks/{key}/rotate-secret': {
      post: operation('rotateWebhookSecret', 'Change the secret', {
        description:
          'For 24 hours deliveries are signed with both secrets in `webhook-signature`; the other signature is by the new one.',
        parameters: [key, ifMatch, ...writing],
        requestBody: {
          required: false,
          content: json(described(newSecret), {}),
        },
        responses: {
          200: one(
            'Webhook.Secret',
            'The webhook, and its new secret if that was generated.',
            writeHeaders('ETag'),
          ),
          ...errors(404, 409, 412, 413, 415),
        },
      }),
    },
    '/api/v1/webhooks/{key}/replay': {
      post: operation('replayWebhook', 'Send events of the past again', {
        description:
          'Every event of that time that the webhook is subscribed to now, in order, with the `webhook-id` that it always has.',
        parameters: [key, ...writing],
        requestBody: body(json(described(replaySpan), { From: 'beginning' })),
        responses: {
          202: one(
            'Webhook.Replay',
            'It is under way; `Location` shows how far it is, the deliveries show the outcome.',
            named(['Location', 'Idempotency-Replayed']),
          ),
          ...errors(404, 409, 413, 415),
        },
      }),
    },
    '/api/v1/webhooks/{key}/deliveries': {
      get: operation('listWebhookDeliveries', 'List what was sent, newest first', {
        parameters: [key, ...PAGING, ...filters],
        responses: { 200: many('Delivery', 'A page of deliveries.'), ...errors(404) },
      }),
    },
    '/api/v1/webhooks/{key}/replay/{replay}': {
      get: operation('getWebhookReplay', 'See how far a replay is', {
        parameters: [key, replay],
        responses: { 200: one('Webhook.Replay', 'The replay.'), ...errors(404) },
      }),
    },
    '/api/v1/webhooks/{key}/deliveries/{delivery}': {
      get: operation('getWebhookDelivery', 'Get a delivery with its attempts', {
        parameters: [key, delivery],
        responses: { 200: one('Delivery.Detail', 'The delivery.'), ...errors(404) },
      }),
    },
    '/api/v1/webhooks/{key}/deliveries/{delivery}/redeliver': {
      post: sent('redeliverWebhook', 'Send a delivery again', [key, delivery]),
    },
  },
}
