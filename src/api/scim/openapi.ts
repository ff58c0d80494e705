/** What OpenAPI says of the SCIM server. Its documents are those of RFC 7643 and 7644, and say themselves what they hold. */
import type { AreaDescription } from '../area.ts'
import {
  schemaRef,
  type Content,
  type Operation,
  type Parameter,
  type Response,
} from '../openapi/document.ts'
import { keyParameter } from '../openapi/service-object.ts'
import { body, named } from '../openapi/wrappers.ts'

const tags = ['Directories (SCIM)']
const key = keyParameter('integration')
const BASE = '/api/v1/scim/v2/{key}'

const scim = (schema: string, example?: unknown): Content => ({
  'application/scim+json': {
    schema: schemaRef(schema),
    ...(example === undefined ? {} : { example }),
  },
})

const id = (example: string): Parameter => ({
  name: 'id',
  in: 'path',
  description: 'The Id.',
  required: true,
  schema: { type: 'string' },
  example,
})
const userId = id(`employee-${'0'.repeat(26)}`)

const query = (name: string, description: string, schema: object = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { ...schema },
})
const PICKING = [
  query('attributes', 'Only these attributes, separated by commas.'),
  query('excludedAttributes', 'All but these attributes, separated by commas.'),
]
const LISTING = [
  query('filter', 'A filter of SCIM, such as userName eq "ada@example.com".'),
  query('sortBy', 'The attribute to sort by.'),
  query('sortOrder', 'ascending or descending.'),
  query('startIndex', 'The place of the first user, from 1.', { type: 'integer' }),
  query('count', 'How many users at most; 200 are the most.', { type: 'integer' }),
  ...PICKING,
]

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is wrong: scimType says in which way.',
  401: 'The token is not that of the integration.',
  403: 'The role of the integration does not permit this.',
  404: 'There is nothing like this.',
  409: 'Another user has this value.',
  412: 'The user has changed since the version that If-Match names.',
  413: 'The body is larger than the service takes.',
  415: 'The body is not JSON.',
  429: 'Too many requests.',
  500: 'The service failed.',
  503: 'The service, or the integration, does not take requests now.',
}

function errors(...statuses: number[]): Operation['responses'] {
  const all = [400, 401, 403, 404, 429, 500, 503, ...statuses]
  return Object.fromEntries(
    all.map((status): [string, Response] => [
      String(status),
      {
        description: DESCRIPTIONS[status]!,
        ...(status === 401 && { headers: named(['WWW-Authenticate']) }),
        ...([429, 503].includes(status) && { headers: named(['Retry-After']) }),
        content: scim('Scim.Error'),
      },
    ]),
  )
}

const shown = (
  operationId: string,
  summary: string,
  schema: string,
  more: Partial<Operation> = {},
): Operation => ({
  operationId,
  summary,
  tags,
  security: [{ bearerAuth: [] }],
  parameters: [key],
  responses: { 200: { description: 'It is answered.', content: scim(schema) }, ...errors() },
  ...more,
})

const USER = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@example.com' }
const searching = (operationId: string) =>
  shown(operationId, 'Search users by POST', 'Scim.List', {
    requestBody: body(scim('Scim.Search', { filter: 'active eq true' })),
    responses: { 200: { description: 'Users.', content: scim('Scim.List') }, ...errors(413, 415) },
  })
const user = (description: string): Response => ({
  description,
  headers: named(['ETag']),
  content: scim('Scim.User'),
})
const changing = (operationId: string, summary: string, requestBody: Content): Operation => ({
  ...shown(operationId, summary, 'Scim.User'),
  parameters: [key, userId, ...PICKING],
  requestBody: body(requestBody),
  responses: { 200: user('The user.'), ...errors(409, 412, 413, 415) },
})

const anything = { type: 'object', additionalProperties: true } as const
const texts = { type: 'array', items: { type: 'string' } } as const

export const scimDescription: AreaDescription = {
  tag: {
    name: tags[0]!,
    description: 'A server of SCIM 2.0 (RFC 7644) for each integration whose file has users, such as scim.',
  },
  schemas: {
    'Scim.Document': { ...anything, properties: { schemas: texts } },
    'Scim.User': {
      ...anything,
      properties: { schemas: texts, id: { type: 'string' }, userName: { type: 'string' } },
    },
    'Scim.List': {
      ...anything,
      properties: {
        schemas: texts,
        totalResults: { type: 'integer' },
        startIndex: { type: 'integer' },
        itemsPerPage: { type: 'integer' },
        Resources: { type: 'array', items: anything },
      },
    },
    'Scim.Search': { ...anything, properties: { schemas: texts, filter: { type: 'string' } } },
    'Scim.Patch': {
      ...anything,
      properties: { schemas: texts, Operations: { type: 'array', items: anything } },
      required: ['Operations'],
    },
    'Scim.Error': {
      ...anything,
      properties: {
        schemas: texts,
        status: { type: 'string' },
        scimType: { type: 'string' },
        detail: { type: 'string' },
      },
    },
  },
  paths: {
    [`${BASE}/ServiceProviderConfig`]: {
      get: shown('getScimConfig', 'Get what the server can do', 'Scim.Document'),
    },
    [`${BASE}/ResourceTypes`]: { get: shown('listScimTypes', 'List the types of resources', 'Scim.List') },
    [`${BASE}/ResourceTypes/{id}`]: {
      get: shown('getScimType', 'Get a type of resources', 'Scim.Document', {
        parameters: [key, id('User')],
      }),
    },
    [`${BASE}/Schemas`]: { get: shown('listScimSchemas', 'List the schemas of users', 'Scim.List') },
    [`${BASE}/Schemas/{id}`]: {
      get: shown('getScimSchema', 'Get a schema of users', 'Scim.Document', {
        parameters: [key, id('urn:ietf:params:scim:schemas:core:2.0:User')],
      }),
    },
    [`${BASE}/.search`]: { post: searching('searchScim') },
    [`${BASE}/Users/.search`]: { post: searching('searchScimUsers') },
    [`${BASE}/Users`]: {
      get: shown('listScimUsers', 'List users', 'Scim.List', { parameters: [key, ...LISTING] }),
      post: {
        ...shown('createScimUser', 'Create a user', 'Scim.User'),
        parameters: [key, ...PICKING],
        requestBody: body(scim('Scim.User', USER)),
        responses: { 201: user('The user.'), ...errors(409, 413, 415) },
      },
    },
    [`${BASE}/Users/{id}`]: {
      get: {
        ...shown('getScimUser', 'Get a user', 'Scim.User'),
        parameters: [key, userId, ...PICKING],
        responses: {
          200: user('The user.'),
          304: { description: 'It is the version that If-None-Match names.', headers: named(['ETag']) },
          ...errors(),
        },
      },
      put: changing('replaceScimUser', 'Replace a user', scim('Scim.User', USER)),
      patch: changing(
        'changeScimUser',
        'Change a user',
        scim('Scim.Patch', { Operations: [{ op: 'replace', path: 'active', value: false }] }),
      ),
      delete: {
        ...shown('deleteScimUser', 'Delete a user', 'Scim.Document'),
        description: 'The record stays, as that of somebody who is not active.',
        parameters: [key, userId],
        responses: { 204: { description: 'The user is gone.' }, ...errors(412) },
      },
    },
  },
}
