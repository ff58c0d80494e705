/** What OpenAPI says of profiles of imports. */
import { bankProfileSchema } from '../../../imports/bank/profiles/profile.ts'
import { columnsOfFile, newProfile } from '../../../imports/bodies.ts'
import { profileDefinition } from '../../../imports/profiles/objects.ts'
import type { AreaDescription } from '../../area.ts'
import { described } from '../../openapi/described.ts'
import {
  reference,
  schemaRef,
  type Operation,
  type Parameter,
  type PathItem,
  type Response,
  type Schema,
} from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { json, page, success, writeHeaders } from '../../openapi/wrappers.ts'
import type { ObjectDefinition } from '../../../domain/definition.ts'
import { listParameters } from '../../records/openapi/list-parameters.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { shownDefinition } from '../../records/service-records.ts'
import { deletedAnswer } from '../../openapi/service-object.ts'
import { closed, text } from '../openapi/schemas.ts'
import { writing } from '../openapi/parts.ts'

const times = {
  CreatedAt: { type: 'string', format: 'date-time' },
  ModifiedAt: { type: 'string', format: 'date-time' },
} as const

export interface KeptDescription {
  readonly segment: string
  readonly definition: ObjectDefinition
  /** Names in operations: `ImportProfile`. */
  readonly name: string
  /** As a sentence has it: `an import profile`. */
  readonly one: string
  readonly tag: string
  readonly sent: Schema
  readonly example: object
}

export const keyOfPath = (object: string, one: string): Parameter => ({
  name: 'key',
  in: 'path',
  description: `The Key of ${one}.`,
  required: true,
  schema: keySchema(object),
  example: sampleKey(object),
})

/** List, create, get, replace and delete. */
export function keptPaths(kept: KeptDescription): Record<string, PathItem> {
  const { segment, definition, name, one, tag, sent, example } = kept
  const { object } = definition
  const key = keyOfPath(object, one)
  const answer = (description: string, headers: readonly ('ETag' | 'Location')[]): Response => ({
    description,
    headers: writeHeaders(...headers),
    content: json(success(schemaRef(name))),
  })
  const operation = (
    verb: string,
    summary: string,
    rest: Omit<Operation, 'operationId' | 'summary' | 'tags'>,
  ) => ({
    operationId: `${verb}${name}`,
    summary,
    tags: [tag],
    ...rest,
  })
  const requestBody = { required: true, content: json(sent, example) }
  const versioned = [...writing, reference('parameters', 'IfMatch')]
  return {
    [`/api/v1/${segment}`]: {
      get: operation('list', `List ${name}s`, {
        parameters: listParameters(shownDefinition(definition), new Map()),
        responses: { 200: { description: 'A page of them.', content: page(schemaRef(name)) }, ...errors() },
      }),
      post: operation('create', `Create ${one}`, {
        parameters: writing,
        requestBody,
        responses: { 201: answer('It is created.', ['ETag', 'Location']), ...errors(404, 409, 413, 415) },
      }),
    },
    [`/api/v1/${segment}/{key}`]: {
      get: operation('get', `Get ${one}`, {
        parameters: [key],
        responses: { 200: answer('It.', ['ETag']), ...errors(404) },
      }),
      put: operation('replace', `Replace ${one}`, {
        parameters: [key, ...versioned],
        requestBody,
        responses: { 200: answer('It is replaced.', ['ETag']), ...errors(404, 409, 412, 413, 415) },
      }),
      delete: operation('delete', `Delete ${one}`, {
        parameters: [key, ...versioned],
        responses: {
          200: deletedAnswer(object),
          ...errors(404, 409, 412),
        },
      }),
    },
  }
}

/** Of a profile: by its object. */
const profileMapping: Schema = {
  oneOf: [schemaRef('Import.Mapping'), schemaRef('ImportProfile.Bank')],
}
const bankSchema: Schema = {
  ...described(bankProfileSchema),
  description: "What the columns of a bank's file are.",
}
const profileSchema: Schema = {
  ...closed({
    Id: keySchema('importprofile'),
    Name: { type: 'string' },
    Object: { type: 'string' },
    Mapping: profileMapping,
    ...times,
  }),
  type: 'object',
  description: 'A mapping with a name.',
}
const sentProfile = described(newProfile)
const suggestion: Schema = {
  ...closed({ Profile: text, Import: text, Name: text, Mapping: profileMapping }),
  type: 'object',
}
export const suggestions = json(success({ type: 'array', items: suggestion }))

const TAG = 'Import profiles'

export const profilesDescription: AreaDescription = {
  tag: { name: TAG, description: 'Mappings with names, for files that come again.' },
  schemas: { ImportProfile: profileSchema, 'ImportProfile.Bank': bankSchema },
  paths: {
    ...keptPaths({
      segment: 'import-profiles',
      definition: profileDefinition,
      name: 'ImportProfile',
      one: 'an import profile',
      tag: TAG,
      sent: { ...sentProfile, properties: { ...sentProfile.properties, Mapping: profileMapping } },
      example: {
        Name: 'Tenants of the Dutch office',
        Object: 'tenant',
        Mapping: { Fields: { Name: { Column: 'Naam' } } },
      },
    }),
    '/api/v1/import-profiles/suggest': {
      post: {
        operationId: 'suggestImportProfiles',
        summary: 'Find mappings that fit columns',
        description: 'Profiles first, then mappings of imports that had the same columns.',
        tags: [TAG],
        requestBody: {
          required: true,
          content: json(described(columnsOfFile), { Object: 'tenant', Columns: ['Naam'] }),
        },
        responses: { 200: { description: 'Those that fit.', content: suggestions }, ...errors(413, 415) },
      },
    },
  },
}
