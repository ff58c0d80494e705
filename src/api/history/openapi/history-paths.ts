/** The operations of one object that look back. */
import type { Definitions, ObjectDefinition } from '../../../domain/definition.ts'
import {
  reference,
  schemaRef,
  type Operation,
  type Parameter,
  type PathItem,
  type Schema,
} from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { POSITION_SCHEMA, SAMPLE_POSITION } from '../../openapi/shared.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { byExample, bySchema, reasonSchema, timestampSchema } from './history-schemas.ts'
import { sampleKey, sampleRecord } from '../../records/openapi/samples.ts'
import { json, page, PAGING, success } from '../../openapi/wrappers.ts'

const messageSchema: Schema = {
  type: 'object',
  properties: {
    Id: keySchema('notification'),
    Trigger: { type: 'string' },
    Recipient: { type: 'string' },
    Template: keySchema('template'),
    TemplateVersion: { type: 'integer', minimum: 1 },
    MessageId: { type: ['string', 'null'], description: 'As the header `Message-ID` of the mail has it.' },
  },
  required: ['Id', 'Trigger', 'Recipient', 'Template', 'TemplateVersion', 'MessageId'],
  additionalProperties: false,
}

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
      Import: {
        type: 'object',
        description: 'Only of what an import did: the import, and the row of its file.',
        properties: { Id: keySchema('import'), Row: { type: 'integer', minimum: 0 } },
        required: ['Id', 'Row'],
        additionalProperties: false,
      },
      Integration: {
        type: 'object',
        description:
          'Only of what an integration did: the integration, and the message that it had received.',
        properties: {
          Id: keySchema('integration'),
          Message: { ...keySchema('inbox'), type: ['string', 'null'] },
        },
        required: ['Id', 'Message'],
        additionalProperties: false,
      },
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
  'History.Message': {
    type: 'object',
    description: 'What became of a message about the record: only with `include=messages`.',
    properties: {
      Version: { type: ['integer', 'null'], description: 'Always null: a message is of no version.' },
      Event: { type: 'string' },
      At: timestampSchema,
      By: bySchema,
      Reason: reasonSchema,
      Message: messageSchema,
      Changes: { type: 'object', additionalProperties: false },
    },
    required: ['Version', 'Event', 'At', 'By', 'Reason', 'Message', 'Changes'],
    additionalProperties: false,
  },
}

export function historyPaths(
  definition: ObjectDefinition,
  definitions: Definitions,
): {
  readonly [path: string]: PathItem
} {
  const { object, name, display } = definition
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
        parameters: [keyParameter(object), ...PAGING, INCLUDE],
        responses: {
          200: {
            description: 'A page of entries.',
            content: page({ anyOf: [schemaRef('History.Entry'), schemaRef('History.Message')] }, example),
          },
          ...errors(404),
        },
      },
    },
    [`/api/v1/${object}/changes`]: { get: changesOperation(definition, definitions) },
  }
}

const INCLUDE: Parameter = {
  name: 'include',
  in: 'query',
  description:
    '`messages`: also the messages that were sent about the record, and to which addresses, where it happened among the entries. Needs `notify` on ' +
    '`template`, or `audit` on `notification`.',
  schema: { type: 'string', enum: ['messages'] },
}

function changesOperation(definition: ObjectDefinition, definitions: Definitions): Operation {
  const { object, name } = definition
  const removed: Schema = {
    type: 'object',
    properties: { Id: keySchema(object), IsDeleted: { const: true } },
    required: ['Id', 'IsDeleted'],
    additionalProperties: false,
  }
  const example = {
    Success: true,
    Data: [sampleRecord(definition, definitions), { Id: sampleKey(object), IsDeleted: true }],
    Next: SAMPLE_POSITION,
    HasMore: false,
  }
  return {
    tags: [name],
    operationId: `changes${name}`,
    summary: 'Follow changes',
    description:
      'The records that changed since the token, in the order of their last change, each once and as it is now; `IsDeleted` where it is deleted. Nothing is missed and no version comes twice. Go on with `Next`: at once while `HasMore`, which may be true of an empty answer, later otherwise.',
    parameters: [
      {
        name: 'since',
        in: 'query',
        description:
          '`Next` of the answer before; `now` to begin with what is still to come. Without it: from the beginning.',
        schema: { type: 'string' },
        example: SAMPLE_POSITION,
      },
      reference('parameters', 'PageSize'),
    ],
    responses: {
      200: {
        description: 'Changed and deleted records, and the token to go on with.',
        content: json(
          success(
            { type: 'array', items: { anyOf: [schemaRef(`${name}.Selection`), removed] } },
            { Next: POSITION_SCHEMA, HasMore: { type: 'boolean' } },
          ),
          example,
        ),
      },
      ...errors(404, 410),
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
