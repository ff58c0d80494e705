/** The OpenAPI description of `/api/v1/waiting`. */
import { bySchema, timestampSchema } from '../history/openapi/history-schemas.ts'
import type { AreaDescription } from '../area.ts'
import { reference, schemaRef, type Schema } from '../openapi/document.ts'
import { errors } from '../openapi/error-responses.ts'
import { closed } from '../openapi/service-object.ts'
import { json, success } from '../openapi/wrappers.ts'

const text: Schema = { type: 'string' }

export const waitingDescription: AreaDescription = {
  tag: { name: 'Waiting', description: 'Records that wait for an action of yours.' },
  schemas: {
    'Waiting.Record': {
      ...closed({
        Object: text,
        Record: {
          type: 'object',
          properties: { Id: text },
          required: ['Id'],
          description: 'Its Key and display field.',
        },
        State: text,
        Since: timestampSchema,
        By: { ...bySchema, description: 'Who brought it into the state.' },
        Comment: { type: ['string', 'null'] },
        Actions: {
          type: 'array',
          items: closed({
            Action: text,
            From: text,
            To: text,
            Event: text,
            RequiresComment: { type: 'boolean' },
          }),
          description: 'What you could do now.',
        },
      }),
      description: 'A record that somebody else has submitted, and that you could approve now.',
    },
  },
  paths: {
    '/api/v1/waiting': {
      get: {
        operationId: 'listWaiting',
        summary: 'List the records that wait for you',
        description:
          'Records in a state from which only another person leads on, where that action is granted to you and the record is not of your own submission; the oldest first. `HasMore`: there are more than these.',
        tags: ['Waiting'],
        parameters: [
          {
            name: 'object',
            in: 'query',
            description: 'Only records of this object.',
            schema: text,
            example: 'contract',
          },
          reference('parameters', 'PageSize'),
        ],
        responses: {
          200: {
            description: 'The records.',
            content: json(
              success(
                { type: 'array', items: schemaRef('Waiting.Record') },
                { HasMore: { type: 'boolean' } },
              ),
            ),
          },
          ...errors(),
        },
      },
    },
  },
}
