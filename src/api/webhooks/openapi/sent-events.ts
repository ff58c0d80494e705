/** What OpenAPI says is sent to webhooks: an entry for each event, with its payload (docs/webhooks.md). */
import { fieldOf, type Definitions } from '../../../domain/definition.ts'
import { DISABLED, eventNames, PING } from '../../../webhooks/event-names.ts'
import { reference, schemaRef, type Parameter, type PathItem, type Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed } from '../../openapi/service-object.ts'
import { body, json } from '../../openapi/wrappers.ts'
import { readProperties } from '../../records/openapi/object-schemas.ts'

const moment: Schema = { type: 'string', format: 'date-time' }
const version: Schema = {
  type: 'integer',
  minimum: 1,
  description: 'Grows with every event of the record: pass over what is older than what you have.',
}

/** Of events that are not of a record. */
const ofWebhooks: { readonly [event: string]: Schema } = {
  [DISABLED]: {
    ...closed({
      Id: keySchema('webhook'),
      Url: { type: 'string' },
      IsActive: { const: false },
      DisabledReason: { type: 'string' },
      DisabledAt: moment,
      Version: version,
    }),
    description: 'The webhook that was disabled, because deliveries to it failed.',
  },
  [PING]: {
    ...closed({
      Id: keySchema('webhook'),
      Url: { type: ['string', 'null'] },
      Events: { type: ['array', 'null'], items: { type: 'string' } },
    }),
    description: 'The webhook itself: sent on request.',
  },
}

/** The headers of a delivery, as components. */
export const deliveryParameters: { readonly [name: string]: Parameter } = {
  WebhookId: sent('webhook-id', 'The same whenever this event is sent.'),
  WebhookTimestamp: sent('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
  WebhookSignature: sent('webhook-signature', 'Signatures over the id, the timestamp and the body.'),
}

function sent(name: string, description: string): Parameter {
  return { name, in: 'header', description, required: true, schema: { type: 'string' } }
}

/** `Contract.Sent` and its like: what `Data` is. */
export function sentSchemas(definitions: Definitions): { readonly [name: string]: Schema } {
  return Object.fromEntries(
    [...definitions.values()].map((definition) => {
      const record = readProperties(definition, definitions, 'short')
      const required = fieldOf(definition, 'Version') ? record : { ...record, Version: version }
      const properties = {
        ...required,
        IsDeleted: { const: true, description: 'Only of a record that is deleted.' },
      }
      return [
        `${definition.name}.Sent`,
        {
          ...closed(properties, Object.keys(required)),
          description: 'The record as it was right after the event.',
        },
      ]
    }),
  )
}

/** The section `webhooks`: by the name of the event. */
export function sentEvents(definitions: Definitions): { readonly [event: string]: PathItem } {
  return Object.fromEntries(
    eventNames(definitions).map(({ name, object }) => {
      const of = object === undefined ? undefined : definitions.get(object)?.name
      const data = of === undefined ? ofWebhooks[name]! : schemaRef(`${of}.Sent`)
      return [name, { post: sending(name, of ?? 'Webhooks', data) }]
    }),
  )
}

function sending(event: string, tag: string, data: Schema) {
  return {
    operationId: `on${event.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())}`,
    summary: `${event} has happened`,
    tags: [tag],
    security: [],
    parameters: Object.keys(deliveryParameters).map((name) => reference('parameters', name)),
    requestBody: body(json(closed({ Event: { const: event }, Timestamp: moment, Data: data }))),
    responses: { '2XX': { description: 'It is stored. Any other answer is a failure, and tried again.' } },
  }
}
