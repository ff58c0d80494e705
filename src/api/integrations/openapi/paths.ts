/** What OpenAPI says of integrations. */
import { SENDING_STATES } from '../../../integrations/objects.ts'
import { INBOX_STATES } from '../../../ports/inbox.ts'
import type { AreaDescription } from '../../area.ts'
import { schemaRef, type Operation, type Parameter, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import {
  closed,
  deletedAnswer,
  IF_MATCH,
  keyParameter,
  readOperations,
  written,
  WRITING,
} from '../../openapi/service-object.ts'
import { body, json, page, PAGING, success, writeHeaders } from '../../openapi/wrappers.ts'
import { definition, integrationSchemas } from './schemas.ts'
import { syncPaths, syncSchemas } from './syncs.ts'

const TAG = 'Integrations'
const tags = [TAG]
const key = keyParameter('integration')
const message: Parameter = {
  name: 'message',
  in: 'path',
  description: 'The Id of the message.',
  required: true,
  schema: keySchema('inbox'),
  example: `inbox-${'0'.repeat(26)}`,
}
const { list, get } = readOperations({ definition, tag: TAG, plural: 'integrations' })
const record = schemaRef('Integration')

const moving = (operationId: string, summary: string, description: string): Operation => ({
  operationId,
  summary,
  description,
  tags,
  parameters: [key, IF_MATCH, ...WRITING],
  responses: { 200: written('The integration.', record), ...errors(404, 409, 412, 413, 415) },
})

const marking = (operationId: string, summary: string): Operation => ({
  operationId,
  summary,
  tags,
  parameters: [key, message, ...WRITING],
  responses: {
    202: {
      description: 'The message.',
      headers: writeHeaders(),
      content: json(success(schemaRef('Integration.Message'))),
    },
    ...errors(404, 409, 413, 415),
  },
})

const state: Parameter = {
  name: 'state',
  in: 'query',
  description: 'Only messages in this state.',
  schema: { type: 'string', enum: INBOX_STATES },
}

const from: Parameter = {
  name: 'from',
  in: 'query',
  description: 'Only what is of this moment or later: `2030-01-01`, `2030-01-01T00:00:00Z`.',
  schema: { type: 'string' },
  example: '2029-11-01',
}

const sentState: Parameter = {
  name: 'state',
  in: 'query',
  description: 'Only what is in this state.',
  schema: { type: 'string', enum: SENDING_STATES },
}

const sentRecord: Parameter = {
  name: 'record',
  in: 'query',
  description: 'Only changes of this record.',
  schema: { type: 'string' },
  example: `tenant-${'0'.repeat(26)}`,
}

const sending: Parameter = {
  name: 'sending',
  in: 'path',
  description: 'The Id of what is sent.',
  required: true,
  schema: keySchema('sending'),
  example: `sending-${'0'.repeat(26)}`,
}

const replayed: Schema = closed({ Messages: { type: 'integer', minimum: 0 } })

export const integrationsDescription: AreaDescription = {
  tag: { name: TAG, description: 'Other systems that records are exchanged with.' },
  schemas: { ...integrationSchemas, ...syncSchemas },
  paths: {
    '/api/v1/integrations/definitions': {
      get: {
        operationId: 'listIntegrationFiles',
        summary: 'List the integrations that can be set up',
        tags,
        parameters: PAGING,
        responses: {
          200: { description: 'A page of them.', content: page(schemaRef('Integration.File')) },
          ...errors(),
        },
      },
    },
    '/api/v1/integrations': {
      get: list,
      post: {
        operationId: 'createIntegration',
        summary: 'Set an integration up',
        description: 'It is off until it is started.',
        tags,
        parameters: WRITING,
        requestBody: body(json(schemaRef('Integration.Create'), { Definition: 'stripe' })),
        responses: { 201: written('The integration.', record, 'Location'), ...errors(409, 413, 415) },
      },
    },
    '/api/v1/integrations/{key}': {
      get,
      patch: {
        operationId: 'changeIntegration',
        summary: 'Change an integration',
        tags,
        parameters: [key, IF_MATCH, ...WRITING],
        requestBody: body(json(schemaRef('Integration.Change'), { Name: 'Stripe' })),
        responses: { 200: written('The integration.', record), ...errors(404, 409, 412, 413, 415) },
      },
      delete: {
        operationId: 'deleteIntegration',
        summary: 'Delete an integration',
        tags,
        parameters: [key, IF_MATCH, ...WRITING],
        responses: { 200: deletedAnswer('integration'), ...errors(404, 409, 412) },
      },
    },
    '/api/v1/integrations/{key}/start': {
      post: {
        ...moving(
          'startIntegration',
          'Start an integration',
          'What was kept while it was paused is applied. With InitialSync one that is off begins with what is on both sides already, silently: no webhooks and mails go out for it.',
        ),
        requestBody: { ...body(json(schemaRef('Integration.Start'), {})), required: false },
      },
    },
    '/api/v1/integrations/{key}/pause': {
      post: moving('pauseIntegration', 'Pause an integration', 'What comes is kept and applied later.'),
    },
    '/api/v1/integrations/{key}/stop': {
      post: moving('stopIntegration', 'Turn an integration off', 'Nothing is taken any more.'),
    },
    '/api/v1/integrations/{key}/rotate-secret': {
      post: {
        ...moving(
          'rotateIntegrationSecret',
          'Give a credential its next value',
          'Both are valid for 24 hours.',
        ),
        requestBody: body(
          json(schemaRef('Integration.Rotate'), { Credential: 'webhookSecret', Value: 'whsec_…' }),
        ),
      },
    },
    '/api/v1/integrations/{key}/preview': {
      post: {
        operationId: 'previewPayload',
        summary: 'See what a payload would do',
        description:
          'It is judged in full, by the rights of the integration; nothing is stored. What no rule takes is `ignored`, with the rules that there are as its `Reason`.',
        tags,
        parameters: [key, ...WRITING],
        requestBody: body(json(schemaRef('Integration.Preview'), { Payload: {} })),
        responses: {
          200: {
            description: 'The changes that it means.',
            headers: writeHeaders(),
            content: json(success({ type: 'array', items: schemaRef('Integration.Result') })),
          },
          ...errors(404, 409, 413, 415),
        },
      },
    },
    '/api/v1/integrations/{key}/sent': {
      get: {
        operationId: 'listSent',
        summary: 'List what is sent, and what became of it',
        tags,
        parameters: [key, sentState, sentRecord, from, ...PAGING],
        responses: {
          200: { description: 'The newest first.', content: page(schemaRef('Integration.Sent')) },
          ...errors(404),
        },
      },
    },
    '/api/v1/integrations/{key}/sent/{sending}/retry': {
      post: {
        operationId: 'sendAgain',
        summary: 'Send what has failed again',
        description: 'The record as it is now.',
        tags,
        parameters: [key, sending, ...WRITING],
        responses: {
          202: {
            description: 'It is due.',
            headers: writeHeaders(),
            content: json(success(schemaRef('Integration.Sent'))),
          },
          ...errors(404, 409, 413, 415),
        },
      },
    },
    '/api/v1/integrations/{key}/inbox': {
      get: {
        operationId: 'listInboxMessages',
        summary: 'List what was received',
        tags,
        parameters: [key, state, from, ...PAGING],
        responses: {
          200: { description: 'The newest first.', content: page(schemaRef('Integration.Message')) },
          ...errors(404),
        },
      },
    },
    '/api/v1/integrations/{key}/inbox/{message}': {
      get: {
        operationId: 'getMessage',
        summary: 'Get a message with its payload',
        tags,
        parameters: [key, message],
        responses: {
          200: {
            description: 'The message.',
            content: json(success(schemaRef('Integration.Message.Whole'))),
          },
          ...errors(404),
        },
      },
    },
    '/api/v1/integrations/{key}/inbox/{message}/retry': {
      post: marking('retryMessage', 'Apply a message again'),
    },
    '/api/v1/integrations/{key}/inbox/{message}/quarantine': {
      post: marking('quarantineMessage', 'Set a message aside'),
    },
    ...syncPaths(key, message),
    '/api/v1/integrations/{key}/replay': {
      post: {
        operationId: 'replayMessages',
        summary: 'Apply messages of a time again',
        description: 'What they have done already is not done twice.',
        tags,
        parameters: [key, ...WRITING],
        requestBody: body(json(schemaRef('Integration.Replay'), { From: '2030-01-01T00:00:00Z' })),
        responses: {
          202: {
            description: 'How many messages.',
            headers: writeHeaders(),
            content: json(success(replayed)),
          },
          ...errors(404, 409, 413, 415),
        },
      },
    },
  },
}
