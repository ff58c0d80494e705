/** What OpenAPI says of polls, full syncs and conflicts of integrations. */
import { resolution, starting } from '../../../integrations/bodies.ts'
import { FULL_SYNC_STATES } from '../../../integrations/objects.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type Operation, type Parameter, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, WRITING } from '../../openapi/service-object.ts'
import { body, json, page, PAGING, success, writeHeaders } from '../../openapi/wrappers.ts'

const tags = ['Integrations']
const text: Schema = { type: 'string' }
const optional: Schema = { type: ['string', 'null'] }
const time: Schema = { type: ['string', 'null'], format: 'date-time' }
const count: Schema = { type: 'integer', minimum: 0 }
const disputed: Schema = { type: 'array', items: closed({ Field: text, Ours: {}, Theirs: {} }) }
const contested: Schema = {
  type: 'array',
  items: closed({ Object: text, Record: text, Fields: disputed }),
}

export const syncSchemas: { readonly [name: string]: Schema } = {
  'Integration.Start': described(starting),
  'Integration.Poll': {
    ...closed({
      Entry: text,
      EverySeconds: count,
      Checkpoint: time,
      LastRunAt: time,
      NextRunAt: time,
      NotifiedUntil: {
        ...time,
        description: 'Until then the other system says when there is something, and it is run at once.',
      },
      FailingSince: time,
      Reason: optional,
    }),
    description: 'How far the other system was asked for what was changed there.',
  },
  'Integration.FullSync': {
    ...closed({
      AskedAt: { type: 'string', format: 'date-time' },
      State: { type: 'string', enum: FULL_SYNC_STATES },
      IsInitial: { type: 'boolean' },
      Read: { ...count, description: 'Items of the other system.' },
      Queued: { ...count, description: 'Records that are to be sent.' },
      FinishedAt: time,
      Reason: { ...optional, description: 'Why it cannot go on for now.' },
    }),
    description: 'A full sync, and how far it has come.',
  },
  'Integration.Conflict': {
    ...closed({
      Id: keySchema('inbox'),
      Entry: text,
      ReceivedAt: { type: 'string', format: 'date-time' },
      Records: contested,
    }),
    description: 'A message that changes fields which were changed here, too.',
  },
  'Integration.Resolve': described(resolution),
  'Integration.Resolved': {
    ...closed({
      Id: keySchema('inbox'),
      State: { const: 'applied' },
      Records: { type: 'array', items: text },
    }),
    description: 'The message, and the records that it was about.',
  },
}

const sync = (description: string, more: object = {}) => ({
  description,
  ...more,
  content: json(success(schemaRef('Integration.FullSync'))),
})

export function syncPaths(
  key: Parameter,
  message: Parameter,
): { readonly [path: string]: { readonly get?: Operation; readonly post?: Operation } } {
  return {
    '/api/v1/integrations/{key}/polls': {
      get: {
        operationId: 'listPolls',
        summary: 'List how far its polls have come',
        tags,
        parameters: [key, ...PAGING],
        responses: {
          200: { description: 'In the order of its file.', content: page(schemaRef('Integration.Poll')) },
          ...errors(404, 409),
        },
      },
    },
    '/api/v1/integrations/{key}/sync': {
      get: {
        operationId: 'getFullSync',
        summary: 'Get the latest full sync',
        tags,
        parameters: [key],
        responses: { 200: sync('The full sync.'), ...errors(404) },
      },
      post: {
        operationId: 'syncIntegration',
        summary: 'Sync an integration in full',
        description:
          'All that is there is read and taken over once more; then all that is here, and not there as it is here, is sent.',
        tags,
        parameters: [key, ...WRITING],
        responses: {
          202: sync('It is asked for.', { headers: writeHeaders() }),
          ...errors(404, 409, 413, 415),
        },
      },
    },
    '/api/v1/integrations/{key}/conflicts': {
      get: {
        operationId: 'listConflicts',
        summary: 'List fields that both sides have changed',
        tags,
        parameters: [key, ...PAGING],
        responses: {
          200: { description: 'The newest first.', content: page(schemaRef('Integration.Conflict')) },
          ...errors(404),
        },
      },
    },
    '/api/v1/integrations/{key}/conflicts/{message}/resolve': {
      post: {
        operationId: 'resolveConflict',
        summary: 'Say whose values hold',
        description: 'What is theirs is set here, by your own rights; what is ours is sent to them.',
        tags,
        parameters: [key, message, ...WRITING],
        requestBody: body(json(schemaRef('Integration.Resolve'), { Take: { Phone: 'theirs' } })),
        responses: {
          200: {
            description: 'It is resolved.',
            headers: writeHeaders(),
            content: json(success(schemaRef('Integration.Resolved'))),
          },
          ...errors(404, 409, 413, 415),
        },
      },
    },
  }
}
