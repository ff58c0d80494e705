/** The OpenAPI description of `/api/v1/identity/users`. */
import { changedUser, newUser } from '../../../identity/bodies.ts'
import { user } from '../../../identity/objects.ts'
import { described } from '../../openapi/described.ts'
import { shownDefinition } from '../../records/service-records.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import {
  deletedAnswer,
  IF_MATCH,
  keyParameter,
  readOperations,
  readSchemas,
  ROLES,
  written,
  WRITING,
} from '../../openapi/service-object.ts'
import { body, json } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const definition = shownDefinition(user)

export const userSchemas: { readonly [name: string]: Schema } = {
  ...readSchemas(definition, { Roles: ROLES }),
  'User.Create': described(newUser),
  'User.Patch': described(changedUser),
}

const { list, get } = readOperations({ definition, tag: TAG, plural: 'users' })
const key = keyParameter('user')
const example = {
  Email: 'ada@example.com',
  Name: 'Ada',
  Password: 'correct horse battery staple',
  Roles: ['viewer'],
}

export const userPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/users': {
    get: list,
    post: {
      operationId: 'createUser',
      summary: 'Create a user',
      tags: [TAG],
      parameters: WRITING,
      requestBody: body(json(schemaRef('User.Create'), example)),
      responses: {
        201: written('The new user.', schemaRef('User'), 'Location'),
        ...errors(409, 413, 415),
      },
    },
  },
  '/api/v1/identity/users/{key}': {
    get,
    patch: {
      operationId: 'patchUser',
      summary: 'Change a user',
      tags: [TAG],
      parameters: [key, IF_MATCH, ...WRITING],
      requestBody: body(json(schemaRef('User.Patch'), { IsActive: false })),
      responses: {
        200: written('The changed user.', schemaRef('User')),
        ...errors(404, 409, 412, 413, 415),
      },
    },
    delete: {
      operationId: 'deleteUser',
      summary: 'Delete a user',
      tags: [TAG],
      parameters: [key, IF_MATCH, ...WRITING],
      responses: { 200: deletedAnswer('user'), ...errors(404, 409, 412) },
    },
  },
}
