/** The OpenAPI description of `/api/v1/identity/users/{key}/sessions`. */
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, keyParameter, WRITING } from '../../openapi/service-object.ts'
import { json, named, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const time = { format: 'date-time' }

export const sessionSchemas: { readonly [name: string]: Schema } = {
  Session: {
    ...closed({
      Id: keySchema('session'),
      CreatedAt: { type: 'string', ...time, description: 'When the user logged in.' },
      ExpiresAt: {
        type: ['string', 'null'],
        ...time,
        description: 'When it ends; null where sessions are extended while they are used.',
      },
      IsCurrent: { type: 'boolean', description: 'It is the one that makes this request.' },
    }),
    description: 'A login that has not ended.',
  },
}

export const sessionPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/users/{key}/sessions': {
    get: {
      operationId: 'listUserSessions',
      summary: 'List where a user is logged in',
      description:
        'The newest first, of the last 60 days and 500 logins. For administrators, and for the user. Of a session that is extended while it is used, only its browser knows whether it has ended by its timeout.',
      tags: [TAG],
      parameters: [keyParameter('user')],
      responses: {
        200: {
          description: 'The sessions.',
          content: json(success({ type: 'array', items: schemaRef('Session') })),
        },
        ...errors(404),
      },
    },
  },
  '/api/v1/identity/users/{key}/sessions/{session}': {
    delete: {
      operationId: 'deleteUserSession',
      summary: 'End a session',
      description: 'At once, in every process.',
      tags: [TAG],
      parameters: [
        keyParameter('user'),
        { ...keyParameter('session'), name: 'session', description: 'The Key of the session.' },
        ...WRITING,
      ],
      responses: {
        200: {
          description: 'It has ended.',
          headers: named(['Idempotency-Replayed']),
          content: json(success(closed({ Id: keySchema('session'), IsDeleted: { const: true } }))),
        },
        ...errors(404, 409),
      },
    },
  },
}
