/** The OpenAPI description of `/api/v1/identity/roles`. */
import { ACTIONS } from '../../../rights/role.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { closed, deletedAnswer, IF_MATCH, written, WRITING } from '../../openapi/service-object.ts'
import { body, json, page, PAGING, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const text = (maxLength: number, description: string): Schema => ({ type: 'string', maxLength, description })
const fields = (description: string): Schema => ({
  type: 'array',
  items: { type: 'string' },
  uniqueItems: true,
  description,
})
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

const grant: Schema = {
  ...closed(
    {
      Object: text(60, 'The object; `*` for all objects, and for what belongs to no object.'),
      Application: text(60, 'All objects of an application.'),
      Actions: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 100,
        description: `${ACTIONS.join(', ')}, workflow:<action>, workflow:*.`,
      },
      Rows: text(4_096, 'Only records that fulfil this filter.'),
      ReadFields: fields('Only these fields are shown.'),
      WriteFields: fields('Only these fields may be sent.'),
    },
    ['Actions'],
  ),
  description: 'What may be done, and on what: an Object or an Application.',
}

const name: Schema = {
  ...text(60, 'Lowercase words joined by underscores; it cannot be changed.'),
  pattern: '^[a-z][a-z0-9]*(_[a-z0-9]+)*$',
}
const description = orNull(text(500, 'What the role is for.'))
const grants: Schema = { type: 'array', items: schemaRef('Role.Grant'), maxItems: 500 }
const id: Schema = { type: 'string', pattern: '^role-', description: 'The Key.' }
const time: Schema = orNull({ type: 'string', format: 'date-time' })

export const roleSchemas: { readonly [name: string]: Schema } = {
  'Role.Grant': grant,
  Role: {
    ...closed({
      Id: id,
      Name: name,
      Description: description,
      Grants: grants,
      CreatedAt: time,
      ModifiedAt: time,
    }),
    description: 'A role. Roles that every company has have no times.',
  },
  'Role.Create': closed({ Name: name, Description: description, Grants: grants }, ['Name', 'Grants']),
  'Role.Patch': closed({ Name: name, Description: description, Grants: grants }, []),
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
