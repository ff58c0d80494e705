/** What OpenAPI says of the routes of notifications (docs/notifications.md), on their own port and below `/api/v1`. */
import type { ObjectDefinition } from '../../../domain/definition.ts'
import type { Fields } from '../../../domain/json.ts'
import {
  layout as layoutObject,
  notification,
  suppression,
  template as templateObject,
} from '../../../notifications/objects.ts'
import { described } from '../../openapi/described.ts'
import {
  schemaRef,
  type Operation,
  type Parameter,
  type PathItem,
  type Schema,
} from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import {
  closed,
  IF_MATCH,
  keyParameter,
  readOperations,
  WRITING,
  written,
} from '../../openapi/service-object.ts'
import { body, json, named, page, PAGING, success } from '../../openapi/wrappers.ts'
import { listParameters } from '../../records/openapi/list-parameters.ts'
import { filledIn, reverting, settled, suppressed } from '../bodies.ts'
import {
  checked,
  checkedLayout,
  rendered,
  tested,
  uploaded,
  uploadedLayout,
  versionEntry,
} from './schemas.ts'

const TAG = 'Notifications'
export const notificationTag = {
  name: TAG,
  description:
    'Templates of mails, what leads to them, the messages that were sent, and addresses that get none.',
}

const EXAMPLE = {
  template: {
    name: 'Renewal reminder',
    trigger: 'contract-renewal-reminder',
    subject: 'Contract {{ContractNumber}} ends on {{EndDate}}',
    body: '<p>Dear {{Tenant.Name}},</p><p>your contract ends on {{EndDate}}.</p>',
  },
}

const key = keyParameter('template')
const version: Parameter = {
  name: 'version',
  in: 'path',
  description: 'The version, from 1.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
  example: 1,
}
const ofRecord = body(json(described(filledIn), { record: 'contract-01k0000000000000000000000a' }))
const answer = (description: string, data: Schema) => ({
  description,
  headers: named(['Idempotency-Replayed']),
  content: json(success(data)),
})
const operation = (
  operationId: string,
  summary: string,
  rest: Omit<Operation, 'operationId' | 'summary' | 'tags'>,
): Operation => ({ operationId, summary, tags: [TAG], ...rest })
const changing = errors(404, 409, 412, 413, 415)
const gone = (object: string) => closed({ Id: keySchema(object), IsDeleted: { const: true } })

/** @param base before the paths: `/api/v1/notifications`, or nothing on the service's own port */
export function notificationPaths(base: string): { readonly [path: string]: PathItem } {
  const paths = { ...templatePaths(), ...trialPaths(), ...messagePaths() }
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [`${base}${path}`, item]))
}

interface Versioned {
  readonly name: 'Template' | 'Layout'
  readonly definition: ObjectDefinition
  readonly example: Fields
  readonly uploaded: Schema
  readonly checked: Schema
}

function templatePaths(): { readonly [path: string]: PathItem } {
  return {
    ...versionedPaths({ name: 'Template', definition: templateObject, example: EXAMPLE, uploaded, checked }),
    ...versionedPaths({
      name: 'Layout',
      definition: layoutObject,
      example: { layout: { name: 'House', body: '<div>{{content}}</div><p>Harbour Ltd</p>' } },
      uploaded: uploadedLayout,
      checked: checkedLayout,
    }),
    '/triggers': {
      get: operation('listTriggers', 'List what mails are written for', {
        responses: {
          200: answer('All of them.', { type: 'array', items: schemaRef('Trigger') }),
          ...errors(),
        },
      }),
    },
  }
}

/** One of which looks up the other. */
const OWN = new Map([templateObject, layoutObject].map((one) => [one.object, one]))

/** Of templates and layouts. */
function versionedPaths({ name, definition, example, uploaded, checked }: Versioned): {
  readonly [path: string]: PathItem
} {
  const { object } = definition
  const path = `/${object}s`
  const key = keyParameter(object)
  const write = body(json(schemaRef(`${name}.Write`), example))
  const one = closed({ [object]: schemaRef(name) })
  return {
    [path]: {
      get: operation(`list${name}s`, `List ${object}s`, {
        parameters: listParameters(definition, OWN),
        responses: {
          200: { description: 'A page of them.', content: page(schemaRef(`${name}.Selection`)) },
          ...errors(),
        },
      }),
      post: operation(`upload${name}`, `Upload a ${object}`, {
        parameters: WRITING,
        requestBody: write,
        responses: {
          201: written('It is stored; see what it warns of.', uploaded),
          ...errors(409, 413, 415),
        },
      }),
    },
    [`${path}/validate`]: {
      post: operation(`validate${name}`, `Check a ${object} and store nothing`, {
        requestBody: write,
        responses: { 200: answer('It could be stored.', checked), ...errors(413, 415) },
      }),
    },
    [`${path}/{key}`]: {
      get: operation(`get${name}`, `Get a ${object}`, {
        parameters: [key],
        responses: { 200: answer(`The ${object}.`, one), ...errors(404) },
      }),
      put: operation(`replace${name}`, `Store the next version of a ${object}`, {
        parameters: [key, ...WRITING, IF_MATCH],
        requestBody: write,
        responses: { 200: written('The new version.', uploaded), ...changing },
      }),
      delete: operation(`delete${name}`, `Delete a ${object}`, {
        parameters: [key, ...WRITING, IF_MATCH],
        responses: { 200: answer('Nothing is written by it any more.', gone(object)), ...changing },
      }),
    },
    [`${path}/{key}/versions`]: {
      get: operation(`list${name}Versions`, `List the versions of a ${object}`, {
        description: 'The newest first.',
        parameters: [key, ...PAGING],
        responses: { 200: { description: 'A page of them.', content: page(versionEntry) }, ...errors(404) },
      }),
    },
    [`${path}/{key}/versions/{version}`]: {
      get: operation(`get${name}Version`, `Get a ${object} as it was`, {
        parameters: [key, version],
        responses: { 200: answer('That version.', one), ...errors(404) },
      }),
    },
    [`${path}/{key}/revert`]: {
      post: operation(`revert${name}`, `Make a ${object} what it was`, {
        parameters: [key, ...WRITING, IF_MATCH],
        requestBody: body(json(described(reverting), { version: 1 })),
        responses: { 200: written('As a new version.', uploaded), ...changing },
      }),
    },
  }
}

/** What a template comes to with a record. */
function trialPaths(): { readonly [path: string]: PathItem } {
  return {
    '/templates/{key}/preview': {
      post: operation('previewTemplate', 'See a template with a record', {
        description: 'With the values that you may see.',
        parameters: [key],
        requestBody: ofRecord,
        responses: { 200: answer('As it would be written.', rendered), ...errors(404, 413, 415) },
      }),
    },
    '/templates/{key}/test': {
      post: operation('testTemplate', 'Send a template with a record to yourself', {
        description:
          'With the values that you may see, to your own address alone. The subject says that it is a test. No message ' +
          'is kept. Six a minute.',
        parameters: [key, ...WRITING],
        requestBody: ofRecord,
        responses: { 200: answer('The mail server has taken it.', tested), ...errors(404, 409, 413, 415) },
      }),
    },
  }
}

function messagePaths(): { readonly [path: string]: PathItem } {
  const messages = readOperations({ definition: notification, tag: TAG, plural: 'messages' })
  const suppressions = readOperations({ definition: suppression, tag: TAG, plural: 'suppressions' })
  const message = keyParameter('notification')
  const AsIt = schemaRef('Notification.Selection')
  return {
    '/messages': { get: messages.list },
    '/messages/{key}': { get: messages.get },
    '/messages/{key}/resend': {
      post: operation('resendMessage', 'Send a message once more', {
        parameters: [message, ...WRITING],
        responses: { 200: answer('It is due.', AsIt), ...errors(404, 409, 413, 415) },
      }),
    },
    '/messages/{key}/settle': {
      post: operation('settleMessage', 'Say what became of an uncertain message', {
        parameters: [message, ...WRITING],
        requestBody: body(json(described(settled), { as: 'sent' })),
        responses: { 200: answer('As it is now.', AsIt), ...errors(404, 409, 413, 415) },
      }),
    },
    '/bounces': {
      get: operation('placeOfBounces', 'Get where reports of mails that came back are sent', {
        description: 'Keep it secret: who knows it can report.',
        responses: {
          200: answer('The place.', closed({ path: { type: 'string' }, url: { type: ['string', 'null'] } })),
          ...errors(),
        },
      }),
    },
    '/suppressions': {
      get: suppressions.list,
      post: operation('suppressAddress', 'Write no more to an address', {
        parameters: WRITING,
        requestBody: body(json(described(suppressed), { Address: 'zoe@example.com', Category: 'reminder' })),
        responses: {
          201: answer('It is not written to.', schemaRef('Suppression.Selection')),
          ...errors(409, 413, 415),
        },
      }),
    },
    '/suppressions/{key}': {
      delete: operation('allowAddress', 'Write to an address again', {
        parameters: [keyParameter('suppression'), ...WRITING],
        responses: { 200: answer('It is written to again.', gone('suppression')), ...changing },
      }),
    },
  }
}
