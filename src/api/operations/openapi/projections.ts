/** What OpenAPI says of `/api/v1/projections`. */
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { json, page, success } from '../../openapi/wrappers.ts'

const position: Schema = { type: 'integer', minimum: 0 }

export const projectionSchemas: { readonly [name: string]: Schema } = {
  Projection: {
    type: 'object',
    description: 'How a projection stands.',
    properties: {
      Name: { type: 'string' },
      Position: { ...position, description: 'The last event that it has handled.' },
      Lag: { ...position, description: 'Positions that it has still to handle.' },
      State: {
        type: 'string',
        enum: ['live', 'rebuilding', 'parked', 'unreachable'],
        description:
          '`parked`: it has stopped before an event that it cannot handle, or waits for what `Error` asks of the operator. `rebuilding`: it is being rebuilt, and the previous generation is served meanwhile. `unreachable`: it cannot be asked now; everything else is as it was last seen.',
      },
      Error: {
        anyOf: [
          {
            type: 'object',
            properties: { Position: position, Message: { type: 'string' } },
            required: ['Position', 'Message'],
            additionalProperties: false,
          },
          { type: 'null' },
        ],
      },
      Trouble: {
        description:
          'Why it does not get on now, though no event is at fault: its store refuses what it writes, such as a full or faulty disk. It is tried again until it passes.',
        type: ['string', 'null'],
      },
      Rebuilding: {
        description: 'How far a rebuild has come, and how far it has to go.',
        anyOf: [
          {
            type: 'object',
            properties: { Position: position, Of: position },
            required: ['Position', 'Of'],
            additionalProperties: false,
          },
          { type: 'null' },
        ],
      },
      PutAside: {
        type: 'object',
        description:
          'Records that the store refused with the words by which they are searched for: they are shown and listed, but search does not find them.',
        properties: {
          Count: { type: 'integer', minimum: 0, description: 'Of all companies.' },
          Records: {
            type: 'array',
            description: 'Those of the own company, at most 100.',
            items: {
              type: 'object',
              properties: {
                Object: { type: 'string' },
                Id: { type: 'string' },
                Message: { type: 'string', description: 'The reason that the store gives.' },
              },
              required: ['Object', 'Id', 'Message'],
              additionalProperties: false,
            },
          },
        },
        required: ['Count', 'Records'],
        additionalProperties: false,
      },
    },
    required: ['Name', 'Position', 'Lag', 'State', 'Error', 'Trouble', 'Rebuilding', 'PutAside'],
    additionalProperties: false,
  },
}

const name = {
  name: 'name',
  in: 'path' as const,
  description: 'The name of the projection.',
  required: true,
  schema: { type: 'string' },
  example: 'records',
}

const one = (description: string) => ({
  description,
  content: json(success(schemaRef('Projection'))),
})

export const projectionPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/projections': {
    get: {
      operationId: 'listProjections',
      summary: 'How every projection stands',
      tags: ['Projections'],
      responses: {
        200: {
          description: 'All of them, on one page.',
          content: page(schemaRef('Projection')),
        },
        ...errors(),
      },
    },
  },
  '/api/v1/projections/{name}/rebuild': {
    post: {
      operationId: 'rebuildProjection',
      summary: 'Rebuild a projection from the first event; what was built before is served meanwhile',
      tags: ['Projections'],
      parameters: [name],
      responses: { 202: one('The rebuild is under way.'), ...errors(404, 409) },
    },
  },
  '/api/v1/projections/{name}/resume': {
    post: {
      operationId: 'resumeProjection',
      summary: 'Let a parked projection try its event again',
      tags: ['Projections'],
      parameters: [name],
      responses: { 200: one('It tries; the next list shows the outcome.'), ...errors(404) },
    },
  },
}
