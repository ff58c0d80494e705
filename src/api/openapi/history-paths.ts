/** The operations of one object that look back. */
import type { ObjectDefinition } from '../../domain/definition.ts'
import { reference, schemaRef, type Parameter, type PathItem, type Schema } from './document.ts'
import { errors } from './error-responses.ts'
import { keySchema } from './field-schema.ts'
import { byExample, bySchema, reasonSchema, timestampSchema } from './history-schemas.ts'
import { sampleKey } from './samples.ts'
import { json, success } from './wrappers.ts'

export const historySchemas: { readonly [name: string]: Schema } = {
  'History.Entry': {
    type: 'object',
    description: 'What one event did to the record.',
    properties: {
      Version: { type: 'integer', minimum: 1 },
      Event: { type: 'string' },
      At: timestampSchema,
      By: bySchema,
      Reason: reasonSchema,
      Changes: {
        type: 'object',
        description:
          'The fields that changed; null: no value. Lookups are shown with the name that they had then.',
        patternProperties: {
          '^[A-Z]': {
            type: 'object',
            properties: { From: {}, To: {} },
            required: ['From', 'To'],
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
    required: ['Version', 'Event', 'At', 'By', 'Reason', 'Changes'],
    additionalProperties: false,
  },
}

export function historyPaths({ object, name, display }: ObjectDefinition): {
  readonly [path: string]: PathItem
} {
  const example = {
    Version: 2,
    Event: `${object}.updated`,
    At: '2029-11-05T09:30:00Z',
    By: byExample,
    Reason: null,
    Changes: { [display]: { From: 'before', To: 'after' } },
  }
  return {
    [`/api/v1/${object}/{key}/history`]: {
      get: {
        tags: [name],
        operationId: `history${name}`,
        summary: 'Get the history of a record',
        description: 'Everything that happened to it, newest last; a deleted record keeps its history.',
        parameters: [
          keyParameter(object),
          reference('parameters', 'Page'),
          reference('parameters', 'PageSize'),
        ],
        responses: {
          200: {
            description: 'A page of entries.',
            content: json(
              success(
                { type: 'array', items: schemaRef('History.Entry') },
                { Pagination: schemaRef('Pagination') },
              ),
              {
                Success: true,
                Data: [example],
                Pagination: { Page: 1, PageSize: 25, TotalRecords: 1, TotalPages: 1 },
              },
            ),
          },
          ...errors(404),
        },
      },
    },
  }
}

function keyParameter(object: string): Parameter {
  return {
    name: 'key',
    in: 'path',
    description: 'The Key of the record, also of a deleted one.',
    required: true,
    schema: keySchema(object),
    example: sampleKey(object),
  }
}
