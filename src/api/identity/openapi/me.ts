/** What OpenAPI says of `/api/v1/identity/me`. */
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { closed } from '../../openapi/service-object.ts'
import { body, json, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

export const meSchemas: { readonly [name: string]: Schema } = {
  'Me.Patch': {
    ...closed(
      {
        Name: { type: 'string', maxLength: 200 },
        Password: { type: 'string', minLength: 8, maxLength: 256, description: 'Needs CurrentPassword.' },
        CurrentPassword: { type: 'string', maxLength: 1_000 },
      },
      [],
    ),
    description: 'What people change of themselves.',
  },
}

const answer = {
  description: 'Who asks.',
  headers: {
    'X-Token-Expires': {
      description:
        'On every answer to a token in its last 14 days, or whose value was replaced: when it ends.',
      required: false,
      schema: { type: 'string', format: 'date-time' },
    },
  },
  content: json(success(schemaRef('Me'))),
}

export const mePaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/me': {
    get: {
      operationId: 'getMe',
      summary: 'Who am I',
      tags: [TAG],
      responses: { 200: answer, ...errors() },
    },
    patch: {
      operationId: 'patchMe',
      summary: 'Change my name or password',
      description:
        'A new password ends every session of the user; the one that asks goes on with a new cookie. Of tokens 403.',
      tags: [TAG],
      requestBody: body(json(schemaRef('Me.Patch'), { Name: 'Ada' })),
      responses: { 200: answer, ...errors(413, 415) },
    },
  },
}
