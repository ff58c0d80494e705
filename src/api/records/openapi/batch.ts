/** Many records in one request (docs/open-facts.md 22). */
import type { ObjectDefinition } from '../../../domain/definition.ts'
import { schemaRef, type Operation, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { sampleBody, sampleKey } from './samples.ts'
import { body, json, success, writeHeaders } from '../../openapi/wrappers.ts'

export function batchOperation(definition: ObjectDefinition): Omit<Operation, 'tags'> {
  const { object, name } = definition
  const row: Schema = {
    type: 'object',
    properties: {
      Index: { type: 'integer', minimum: 0, description: 'The place in `Records`, from 0.' },
      Status: {
        type: 'integer',
        description: 'The status that the record would have been answered with alone.',
      },
      Id: { anyOf: [keySchema(object), { type: 'null', description: 'With `dryRun=true`.' }] },
      Error: schemaRef('Error.Cause'),
    },
    required: ['Index', 'Status'],
    additionalProperties: false,
    description: 'With Id when the record was created, with Error when it was refused.',
    oneOf: [{ required: ['Id'] }, { required: ['Error'] }],
  }
  return {
    operationId: `batch${name}`,
    summary: 'Create many records',
    description:
      'Each record stands alone: those that are refused do not keep the others from being created. Of a record with the ' +
      'status 503 it is not known whether it was created: the same request with the same `Idempotency-Key` creates what ' +
      'is missing, and nothing twice.',
    requestBody: body(
      json(
        {
          type: 'object',
          properties: {
            Records: { type: 'array', items: schemaRef(`${name}.Create`), minItems: 1, maxItems: 500 },
            AllowPastDates: {
              type: 'boolean',
              default: false,
              description:
                'Takes dates of the past where a new record needs one of the future, as for records that are moved in from elsewhere.',
            },
          },
          required: ['Records'],
          additionalProperties: false,
        },
        { Records: [sampleBody(definition)] },
      ),
    ),
    responses: {
      200: {
        description: 'What became of each record, in the order in which they were sent.',
        headers: writeHeaders('Daybook-Dry-Run'),
        content: json(success({ type: 'array', items: row }), {
          Success: true,
          Data: [{ Index: 0, Status: 201, Id: sampleKey(object) }],
        }),
      },
      ...errors(409, 413, 415),
    },
  }
}
