/** The OpenAPI description of `/api/v1/identity/warehouse-logins`. */
import { warehouseLogin } from '../../../identity/objects.ts'
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

const ofServer = (type: 'string' | 'integer', description: string): Schema => ({
  anyOf: [{ type }, { type: 'null' }],
  description,
})

export const warehouseLoginSchemas: { readonly [name: string]: Schema } = credentialSchemas({
  definition: warehouseLogin,
  called: 'login',
  once: {
    Password: { type: 'string', description: 'It is shown only this once.' },
    Host: ofServer('string', 'The server of the warehouse, as the service reaches it.'),
    Port: ofServer('integer', 'The port of the server.'),
    Database: ofServer('string', 'The database.'),
  },
})

const { list, get } = readOperations({
  definition: warehouseLogin,
  tag: TAG,
  plural: 'warehouse logins',
})

export const warehouseLoginPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/warehouse-logins': {
    get: list,
    post: {
      operationId: 'createWarehouseLogin',
      summary: 'Create a login for a tool of analysts',
      description:
        'A login to the warehouse on PostgreSQL that can only read: the tables that its roles may read and export whole, and rows of this company. 409 where the warehouse is not on PostgreSQL.',
      tags: [TAG],
      parameters: WRITING,
      requestBody: body(json(schemaRef('WarehouseLogin.Create'), { Name: 'Metabase', Roles: ['auditor'] })),
      responses: {
        201: written('The login, with its password.', schemaRef('WarehouseLogin.Issued'), 'Location'),
        ...errors(409, 413, 415),
      },
    },
  },
  '/api/v1/identity/warehouse-logins/{key}': {
    get,
    delete: {
      operationId: 'revokeWarehouseLogin',
      summary: 'Revoke a login for a tool of analysts',
      description: 'Its sessions end; it sees nothing from then on.',
      tags: [TAG],
      parameters: [keyParameter('warehouselogin'), IF_MATCH, ...WRITING],
      responses: { 200: deletedAnswer('warehouselogin'), ...errors(404, 409, 412) },
    },
  },
}
