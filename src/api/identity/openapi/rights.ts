/** The OpenAPI description of `/api/v1/identity/users/{key}/rights`. */
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { closed, keyParameter, ROLES } from '../../openapi/service-object.ts'
import { json, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const nullableText: Schema = { type: ['string', 'null'] }

export const rightsSchemas: { readonly [name: string]: Schema } = {
  'User.Rights': {
    ...closed({
      User: closed({ Id: { type: 'string' }, Name: nullableText }),
      Roles: ROLES,
      Object: { ...nullableText, description: 'Null: what belongs to no object.' },
      Key: { ...nullableText, description: 'The record that it is about, where it is about one.' },
      Rights: {
        type: 'array',
        items: closed({
          Action: { type: 'string', description: 'As in roles: `read`, `workflow:approve`.' },
          Allowed: { type: 'boolean' },
          Because: {
            type: 'array',
            items: { type: 'string' },
            description: 'Every grant that allows it, or why nothing does.',
          },
        }),
      },
    }),
    description: 'What a user may do, and why.',
  },
}

const example = {
  User: { Id: 'user-01k0000000000000000000000a', Name: 'Ada' },
  Roles: ['viewer'],
  Object: 'contract',
  Key: null,
  Rights: [{ Action: 'read', Allowed: true, Because: ['the role viewer grants read on everything'] }],
}

export const rightsPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/users/{key}/rights': {
    get: {
      operationId: 'getUserRights',
      summary: 'Get what a user may do, and why',
      description:
        'For the records of an object; with the Key of a record, for that one, workflow actions included; without either, for what belongs to no object. A record that you cannot read is a 404.',
      tags: [TAG],
      parameters: [
        keyParameter('user'),
        {
          name: 'object',
          in: 'query',
          description: 'The object.',
          schema: { type: 'string' },
          example: 'contract',
        },
        {
          name: 'key',
          in: 'query',
          description: 'The Key of one of its records.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: 'The rights.',
          content: json(success(schemaRef('User.Rights')), { Success: true, Data: example }),
        },
        ...errors(404),
      },
    },
  },
}
