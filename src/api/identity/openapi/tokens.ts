/** The OpenAPI description of `/api/v1/identity/tokens`. */
import { tokenRotation } from '../../../identity/bodies.ts'
import { token } from '../../../identity/objects.ts'
import { shownDefinition } from '../../records/service-records.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import {
  deletedAnswer,
  IF_MATCH,
  keyParameter,
  readOperations,
  written,
  WRITING,
} from '../../openapi/service-object.ts'
import { body, json } from '../../openapi/wrappers.ts'
import { credentialSchemas } from './credentials.ts'
import { TAG } from './login.ts'

const definition = shownDefinition(token)
const value: Schema = { type: 'string', description: 'The value; it is shown only this once.' }

export const tokenSchemas: { readonly [name: string]: Schema } = {
  ...credentialSchemas({ definition, called: 'token', once: { Token: value } }),
  'Token.Rotate': described(tokenRotation),
}

const { list, get } = readOperations({ definition, tag: TAG, plural: 'tokens' })
const key = keyParameter('token')

export const tokenPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/tokens': {
    get: list,
    post: {
      operationId: 'createToken',
      summary: 'Create an API token',
      tags: [TAG],
      parameters: WRITING,
      requestBody: body(json(schemaRef('Token.Create'), { Name: 'nightly sync', Roles: ['integration'] })),
      responses: {
        201: written('The token, with its value.', schemaRef('Token.Issued'), 'Location'),
        ...errors(409, 413, 415),
      },
    },
  },
  '/api/v1/identity/tokens/{key}': {
    get,
    delete: {
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      description: 'For administrators and for the token itself.',
      tags: [TAG],
      parameters: [key, IF_MATCH, ...WRITING],
      responses: { 200: deletedAnswer('token'), ...errors(404, 409, 412) },
    },
  },
  '/api/v1/identity/tokens/{key}/rotate': {
    post: {
      operationId: 'rotateToken',
      summary: 'Give a token a new value',
      description:
        'The old value stays valid for another 24 hours. For administrators, and for the token itself by its newest value. The body may be left out.',
      tags: [TAG],
      parameters: [key, ...WRITING],
      requestBody: { required: false, content: json(schemaRef('Token.Rotate'), {}) },
      responses: {
        200: written('The token, with its new value.', schemaRef('Token.Issued')),
        ...errors(404, 409, 413, 415),
      },
    },
  },
}
