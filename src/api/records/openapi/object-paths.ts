/** The operations of one object (docs/interface.md#object-routes). */
import type { Definitions, FieldDefinition, ObjectDefinition } from '../../../domain/definition.ts'
import {
  reference,
  schemaRef,
  type Content,
  type Parameter,
  type PathItem,
  type Response,
  type Schema,
} from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { listAsOf, listParameters, recordAsOf, selectionParameters } from './list-parameters.ts'
import { sampleBody, sampleChange, sampleKey, sampleRecord, sampleValue } from './samples.ts'
import { body, json, named, page, success, writeHeaders } from '../../openapi/wrappers.ts'
import { batchOperation } from './batch.ts'
import { errors } from '../../openapi/error-responses.ts'
import { bankPaths } from '../../bank/openapi.ts'
import { importOperation, templateOperation } from '../../imports/openapi/operation.ts'
import { workflowPaths } from '../../workflow/openapi.ts'

export function objectPaths(
  definition: ObjectDefinition,
  definitions: Definitions,
): { readonly [path: string]: PathItem } {
  const { object, name } = definition
  const record = sampleRecord(definition, definitions)
  const base = { tags: [name] }
  const byKey = { ...base, parameters: [keyParameter(object)] }
  const writing = [
    reference('parameters', 'DryRun'),
    reference('parameters', 'IdempotencyKey'),
    reference('parameters', 'Reason'),
  ]
  const ifMatch = reference('parameters', 'IfMatch')
  const atLeast = reference('parameters', 'AtLeast')
  const whole = (description: string, ...more: readonly string[]): Response => ({
    description,
    headers: writeHeaders('ETag', 'Daybook-Dry-Run', ...more),
    content: json(success(schemaRef(`${name}.Changed`))),
  })
  const created = (): Response => ({
    description: 'The new record.',
    headers: writeHeaders('ETag', 'Location'),
    content: json(success(schemaRef(name))),
  })
  // Any other status of success: generators take 201, the lowest that is named, for the type of what is answered.
  const judged: Response = {
    description: '200, with `dryRun=true`: the record as it would be.',
    headers: named(['Daybook-Dry-Run']),
    content: json(success(schemaRef(`${name}.Judged`))),
  }
  const upserted: Response = {
    description: '200: the record as it is now; with `dryRun=true`, as it would be.',
    headers: writeHeaders('ETag', 'Daybook-Dry-Run'),
    content: json(success(schemaRef(`${name}.Judged`))),
  }

  const paths: Record<string, PathItem> = {
    [`/api/v1/${object}`]: {
      get: {
        ...base,
        operationId: `list${name}`,
        summary: 'List records',
        description: 'Filtered, searched, sorted and in pages; newest first when nothing else is asked for.',
        parameters: [...listParameters(definition, definitions), listAsOf, atLeast],
        responses: {
          200: {
            description: 'A page of records.',
            headers: named(['Daybook-Position']),
            content: page(schemaRef(`${name}.Selection`), record),
          },
          ...errors(),
        },
      },
      post: {
        ...base,
        operationId: `create${name}`,
        summary: 'Create a record',
        parameters: writing,
        requestBody: body(json(schemaRef(`${name}.Create`), sampleBody(definition))),
        responses: { 201: created(), '2XX': judged, ...errors(409, 413, 415) },
      },
    },
    [`/api/v1/${object}/{key}`]: {
      get: {
        ...byKey,
        operationId: `get${name}`,
        summary: 'Get a record',
        parameters: [
          ...byKey.parameters,
          ...selectionParameters(definition),
          recordAsOf,
          reference('parameters', 'IfNoneMatch'),
          atLeast,
        ],
        responses: {
          200: {
            description: 'The record.',
            headers: named(['ETag']),
            content: json(success(schemaRef(`${name}.Selection`)), { Success: true, Data: record }),
          },
          304: {
            description: 'It is still the version that `If-None-Match` names.',
            headers: named(['ETag']),
          },
          ...errors(404),
        },
      },
      put: {
        ...byKey,
        operationId: `put${name}`,
        summary: 'Change a record',
        description:
          'Changes the fields that are sent; null clears a field; money and json values are replaced whole.',
        parameters: [...byKey.parameters, ifMatch, ...writing],
        requestBody: body(json(schemaRef(`${name}.Update`), sampleChange(definition))),
        responses: { 200: whole('The record as it is now.'), ...errors(404, 409, 412, 413, 415) },
      },
      patch: {
        ...byKey,
        operationId: `patch${name}`,
        summary: 'Change parts of a record',
        description: 'As PUT, but parts of money and json values may be sent: they are merged (RFC 7396).',
        parameters: [...byKey.parameters, ifMatch, ...writing],
        requestBody: body(patchContent(schemaRef(`${name}.Patch`), sampleChange(definition))),
        responses: { 200: whole('The record as it is now.'), ...errors(404, 409, 412, 413, 415) },
      },
      delete: {
        ...byKey,
        operationId: `delete${name}`,
        summary: 'Delete a record',
        description:
          'It is found no more, but its history stays and it can be restored. Refused with 409 while other records look it up.',
        parameters: [...byKey.parameters, ifMatch, ...writing],
        responses: { 200: deleted(object), ...errors(404, 409, 412) },
      },
    },
    [`/api/v1/${object}/{key}/restore`]: {
      post: {
        ...byKey,
        operationId: `restore${name}`,
        summary: 'Restore a deleted record',
        parameters: [...byKey.parameters, ifMatch, ...writing],
        responses: { 200: whole('The record as it was.'), ...errors(404, 409, 412) },
      },
    },
    ...workflowPaths(definition, keyParameter(object)),
    ...bankPaths(definition, keyParameter(object)),
    [`/api/v1/${object}/import`]: { post: importOperation(name) },
    [`/api/v1/${object}/import/template.csv`]: { get: templateOperation(name, 'csv') },
    [`/api/v1/${object}/import/template.xlsx`]: { get: templateOperation(name, 'xlsx') },
    [`/api/v1/${object}/batch`]: { post: { ...base, ...batchOperation(definition), parameters: writing } },
  }
  for (const field of definition.fields.filter(({ unique }) => unique))
    paths[`/api/v1/${object}/by/${field.name}/{value}`] = {
      put: {
        ...base,
        operationId: `upsert${name}By${field.name}`,
        summary: `Create or change the record with that ${field.name}`,
        description: `Creates it when there is none, which needs every required field beside ${field.name}; otherwise as PUT.`,
        parameters: [valueParameter(field), ifMatch, reference('parameters', 'OnlyIfNew'), ...writing],
        requestBody: body(json(schemaRef(`${name}.Update`), without(sampleBody(definition), field.name))),
        responses: { 201: created(), '2XX': upserted, ...errors(409, 412, 413, 415) },
      },
    }
  return paths
}

function deleted(object: string): Response {
  const data: Schema = {
    type: 'object',
    properties: { Id: keySchema(object), IsDeleted: { const: true } },
    required: ['Id', 'IsDeleted'],
    additionalProperties: false,
  }
  const example = { Success: true, Data: { Id: sampleKey(object), IsDeleted: true } }
  return {
    description: 'It is deleted.',
    headers: writeHeaders('ETag', 'Daybook-Dry-Run'),
    content: json(success(data), example),
  }
}

function keyParameter(object: string): Parameter {
  return {
    name: 'key',
    in: 'path',
    description: 'The Key of the record.',
    required: true,
    schema: keySchema(object),
    example: sampleKey(object),
  }
}

function valueParameter(field: FieldDefinition): Parameter {
  return {
    name: 'value',
    in: 'path',
    description: `The value of ${field.name}, percent-encoded.`,
    required: true,
    schema: { type: field.type === 'integer' ? 'integer' : 'string' },
    // Unique fields are text or integers.
    example: sampleValue(field) as string | number,
  }
}

function patchContent(schema: Schema, example: unknown): Content {
  return { ...json(schema, example), 'application/merge-patch+json': { schema, example } }
}

function without(fields: { readonly [name: string]: unknown }, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name))
}
