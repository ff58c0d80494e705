/** The OpenAPI description of `/api/v1/identity/roles`. */
import { grantSchema, roleSchema } from '../../../rights/role.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { closed, deletedAnswer, IF_MATCH, written, WRITING } from '../../openapi/service-object.ts'
import { body, json, page, PAGING, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

const { Name, Description, Grants } = described(roleSchema).properties!
const members = {
  Name: { ...Name, description: 'Lowercase words joined by underscores; it cannot be changed.' },
  Description: orNull({ ...Description, description: 'What the role is for.' }),
  Grants: { ...Grants, items: schemaRef('Role.Grant') },
}
const id: Schema = { type: 'string', pattern: '^role-', description: 'The Key.' }
const time: Schema = orNull({ type: 'string', format: 'date-time' })

export const roleSchemas: { readonly [name: string]: Schema } = {
  'Role.Grant': {
    ...described(grantSchema),
    description: 'What may be done, and on what: an Object or an Application.',
  },
  Role: {
    ...closed({
      Id: id,
      ...members,
      CreatedAt: time,
      ModifiedAt: time,
    }),
    description: 'A role. Roles that every company has have no times.',
  },
  'Role.Create': closed(members, ['Name', 'Grants']),
  'Role.Patch': closed(members, []),
}

const key = {
  name: 'key',
  in: 'path',
  description: 'The Key: `role-…`; for a role that every company has `role-<name>`.',
  required: true,
  schema: { type: 'string' },
  example: sampleKey('role'),
} as const
const example = {
  Name: 'rent_reader',
  Grants: [{ Object: 'contract', Actions: ['read'], Rows: "Status eq 'Active'" }],
}

export const rolePaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/roles': {
    get: {
      operationId: 'listRoles',
      summary: 'List roles',
      description: 'The roles that every company has, then those of your company.',
      tags: [TAG],
      parameters: PAGING,
      responses: {
        200: {
          description: 'A page of roles.',
          content: page(schemaRef('Role')),
        },
        ...errors(),
      },
    },
    post: {
      operationId: 'createRole',
      summary: 'Create a role',
      tags: [TAG],
      parameters: WRITING,
      requestBody: body(json(schemaRef('Role.Create'), example)),
      responses: {
        201: written('The new role.', schemaRef('Role'), 'Location'),
        ...errors(409, 413, 415),
      },
    },
  },
  '/api/v1/identity/roles/{key}': {
    get: {
      operationId: 'getRole',
      summary: 'Get a role',
      tags: [TAG],
      parameters: [key],
      responses: {
        200: {
          description: 'The role.',
          headers: {
            ETag: {
              description: 'The version, for `If-Match`; only for roles of your company.',
              required: false,
              schema: { type: 'string' },
            },
          },
          content: json(success(schemaRef('Role'))),
        },
        ...errors(404),
      },
    },
    patch: {
      operationId: 'patchRole',
      summary: 'Change a role of your company',
      tags: [TAG],
      parameters: [key, IF_MATCH, ...WRITING],
      requestBody: body(json(schemaRef('Role.Patch'), { Grants: example.Grants })),
      responses: {
        200: written('The changed role.', schemaRef('Role')),
        ...errors(404, 409, 412, 413, 415),
      },
    },
    delete: {
      operationId: 'deleteRole',
      summary: 'Delete a role of your company that is not in use',
      tags: [TAG],
      parameters: [key, IF_MATCH, ...WRITING],
      responses: { 200: deletedAnswer('role'), ...errors(404, 409, 412) },
    },
  },
}
