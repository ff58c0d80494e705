/** The OpenAPI description of `/api/v1/identity/companies`. */
import { firstAdministrator } from '../../../identity/bodies.ts'
import { company } from '../../../identity/objects.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { writeSchema } from '../../openapi/field-schema.ts'
import {
  closed,
  IF_MATCH,
  keyParameter,
  readOperations,
  readSchemas,
  recordProperties,
  written,
  WRITING,
} from '../../openapi/service-object.ts'
import { body, json } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

const settings = Object.fromEntries(
  company.fields.map((field) => [field.name, writeSchema(company, { ...field, required: true }, 'create')]),
)

export const companySchemas: { readonly [name: string]: Schema } = {
  ...readSchemas(company),
  'Company.Created': {
    ...closed({ ...recordProperties(company), Admin: schemaRef('Me') }),
    description: 'A company and its administrator.',
  },
  'Company.Create': {
    ...closed(
      {
        ...settings,
        ...described(firstAdministrator).properties,
      },
      ['Name', 'AdminEmail', 'AdminPassword'],
    ),
    description: 'A new company and its administrator.',
  },
  'Company.Patch': {
    ...closed(settings, []),
    description: 'What changes. Users and tokens of a suspended company are not let in.',
  },
}

const { list, get } = readOperations({ definition: company, tag: TAG, plural: 'companies' })

export const companyPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/companies': {
    get: list,
    post: {
      operationId: 'createCompany',
      summary: 'Create a company',
      description:
        'Needs the role `operator`, as all company operations. It gives no access to the records of the company.',
      tags: [TAG],
      parameters: WRITING,
      requestBody: body(
        json(schemaRef('Company.Create'), {
          Name: 'Harbour Leasing',
          AdminEmail: 'ada@example.com',
          AdminPassword: 'correct horse battery staple',
        }),
      ),
      responses: {
        201: written('The new company.', schemaRef('Company.Created'), 'Location'),
        ...errors(409, 413, 415),
      },
    },
  },
  '/api/v1/identity/companies/{key}': {
    get,
    patch: {
      operationId: 'patchCompany',
      summary: 'Change or suspend a company',
      tags: [TAG],
      parameters: [keyParameter('company'), IF_MATCH, ...WRITING],
      requestBody: body(json(schemaRef('Company.Patch'), { IsSuspended: true })),
      responses: {
        200: written('The changed company.', schemaRef('Company')),
        ...errors(404, 409, 412, 413, 415),
      },
    },
  },
}
