/** What OpenAPI says of records that the service keeps for itself (`service-records.ts`): one way for all of them. */
import { STANDARD_FIELDS, type FieldDefinition, type ObjectDefinition } from '../../domain/definition.ts'
import { roleNames } from '../../identity/bodies.ts'
import { described } from './described.ts'
import { reference, schemaRef, type Operation, type Response, type Schema } from './document.ts'
import { errors } from './error-responses.ts'
import { keySchema, readSchema } from './field-schema.ts'
import { listParameters, selectionParameters } from '../records/openapi/list-parameters.ts'
import { json, named, page, success, writeHeaders } from './wrappers.ts'

export const ROLES: Schema = described(roleNames)

/** Closed: nothing else may be there. */
export function closed(
  properties: { readonly [name: string]: Schema },
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { type: 'object', properties, ...(required.length ? { required } : {}), additionalProperties: false }
}

/** A record, every field of it; `special` says what its definition cannot. */
export function recordProperties(
  definition: ObjectDefinition,
  special: { readonly [name: string]: Schema } = {},
): { readonly [name: string]: Schema } {
  const [, ...times] = STANDARD_FIELDS
  const read = (field: FieldDefinition) =>
    [field.name, special[field.name] ?? readSchema(definition, new Map(), field)] as const
  return {
    Id: { description: "The record's Key.", ...keySchema(definition.object) },
    ...Object.fromEntries([...definition.fields, ...times].map(read)),
  }
}

export const WRITING = [reference('parameters', 'IdempotencyKey'), reference('parameters', 'Reason')]
export const IF_MATCH = reference('parameters', 'IfMatch')

export function keyParameter(object: string) {
  return {
    name: 'key',
    in: 'path',
    description: `The Key: \`${object}-…\`.`,
    required: true,
    schema: keySchema(object),
    example: `${object}-01k0000000000000000000000a`,
  } as const
}

export interface ServiceObject {
  /** As it is shown. */
  readonly definition: ObjectDefinition
  /** Of the area. */
  readonly tag: string
  /** In operation ids and summaries: `users`, `a user`. */
  readonly plural: string
}

/** GET of the list and of one record. */
export function readOperations({ definition, tag, plural }: ServiceObject): {
  readonly list: Operation
  readonly get: Operation
} {
  const { name, object } = definition
  const selection = schemaRef(`${name}.Selection`)
  const said = plural[0]!.toUpperCase() + plural.slice(1)
  return {
    list: {
      operationId: `list${said}`,
      summary: `List ${plural}`,
      tags: [tag],
      parameters: listParameters(definition, new Map()),
      responses: {
        200: {
          description: 'A page of them.',
          content: page(selection),
        },
        ...errors(),
      },
    },
    get: {
      operationId: `get${name}`,
      summary: `Get one of the ${plural}`,
      tags: [tag],
      parameters: [
        keyParameter(object),
        ...selectionParameters(definition),
        reference('parameters', 'IfNoneMatch'),
      ],
      responses: {
        200: { description: 'The record.', headers: named(['ETag']), content: json(success(selection)) },
        304: {
          description: 'It is still the version that `If-None-Match` names.',
          headers: named(['ETag']),
        },
        ...errors(404),
      },
    },
  }
}

/** The record schemas of a service object: whole, and with the fields that were asked for. */
export function readSchemas(
  definition: ObjectDefinition,
  special: { readonly [name: string]: Schema } = {},
): { readonly [name: string]: Schema } {
  const properties = recordProperties(definition, special)
  const { name, description = '' } = definition
  return {
    [name]: { ...closed(properties), description },
    [`${name}.Selection`]: { ...closed(properties, ['Id']), description },
  }
}

/** The answer to a write. */
export function written(description: string, data: Schema, ...more: readonly string[]): Response {
  return { description, headers: writeHeaders('ETag', ...more), content: json(success(data)) }
}

export function deletedAnswer(object: string): Response {
  return written('It is gone, at once.', closed({ Id: keySchema(object), IsDeleted: { const: true } }))
}
