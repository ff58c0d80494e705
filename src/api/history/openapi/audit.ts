/** What OpenAPI says of `/api/v1/audit`. */
import type { AreaDescription } from '../../area.ts'
import { schemaRef, type Parameter, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { byExample, bySchema, keyText, momentText, reasonSchema, timestampSchema } from './history-schemas.ts'
import { fileHeaders, page, PAGING } from '../../openapi/wrappers.ts'

const entry: Schema = {
  type: 'object',
  description: 'One event.',
  properties: {
    Position: {
      type: 'integer',
      minimum: 1,
      description: "Its place in the order of the company's events, without gaps.",
    },
    Key: keyText,
    Version: { type: 'integer', minimum: 1, description: 'The version that it made of the record.' },
    Event: { type: 'string' },
    At: timestampSchema,
    By: bySchema,
    Reason: reasonSchema,
    Data: {
      type: 'object',
      description: 'The fields that it set; lookups as Keys. Secrets are left out.',
      patternProperties: { '^[A-Z]': {} },
      additionalProperties: false,
    },
  },
  required: ['Position', 'Key', 'Version', 'Event', 'At', 'By', 'Reason', 'Data'],
  additionalProperties: false,
}

const example = {
  Position: 18446,
  Key: sampleKey('contract'),
  Version: 2,
  Event: 'contract.updated',
  At: '2029-11-05T09:30:00Z',
  By: byExample,
  Reason: 'rent review',
  Data: { MonthlyRent: { Amount: 1300, Currency: 'EUR' } },
}

const text = (name: string, description: string, sample: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
  example: sample,
})

const filters: readonly Parameter[] = [
  text('object', 'Only events of this object.', 'contract'),
  text('key', 'Only events of this record.', sampleKey('contract')),
  text('actor', 'Only what this user or token did: its Key, name or e-mail address.', sampleKey('user')),
  text('event', 'Only events of this name; `contract.*` for all that begin so.', 'contract.updated'),
  text('field', 'Only events that set this field.', 'MonthlyRent'),
  text(
    'reason',
    'Only events whose reason holds this text, in any case; `none`: events without a reason.',
    'none',
  ),
  text('from', `Only events of this moment or later: ${momentText}.`, '2029-11-01'),
  text('to', `Only events of this moment or earlier: ${momentText}.`, '2029-11-30'),
]

export const auditDescription: AreaDescription = {
  tag: {
    name: 'Audit',
    description: 'Who did what and why in the own company. Reading it is itself recorded.',
  },
  paths: {
    '/api/v1/audit': {
      get: {
        operationId: 'listAudit',
        summary: 'List events',
        description: 'In the order in which they were stored, and in pages.',
        tags: ['Audit'],
        parameters: [
          ...filters,
          {
            name: 'sort',
            in: 'query',
            description: '`-Position`: newest first.',
            schema: { type: 'string', enum: ['Position', '-Position'], default: 'Position' },
            example: '-Position',
          },
          ...PAGING,
        ],
        responses: {
          200: {
            description: 'A page of events.',
            content: page(schemaRef('Audit.Entry'), example),
          },
          ...errors(),
        },
      },
    },
    '/api/v1/audit/export': {
      get: {
        operationId: 'exportAudit',
        summary: 'Export events',
        description:
          'All of them as JSON Lines or CSV, one entry a line, in the order in which they were stored. An answer that is cut off is an error: ask again.',
        tags: ['Audit'],
        parameters: [
          ...filters,
          {
            name: 'format',
            in: 'query',
            description:
              'CSV has the columns Position, Key, Version, Event, At, By_Id, By_Name, Reason and Data (as JSON).',
            schema: { type: 'string', enum: ['jsonl', 'csv'], default: 'jsonl' },
            example: 'csv',
          },
        ],
        responses: {
          200: {
            description: 'One entry a line.',
            headers: fileHeaders,
            content: {
              'application/jsonl': { schema: schemaRef('Audit.Entry') },
              'text/csv': { schema: { type: 'string' } },
            },
          },
          ...errors(),
        },
      },
    },
  },
  schemas: { 'Audit.Entry': entry },
}
