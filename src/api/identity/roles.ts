/** `/api/v1/identity/roles`: the roles that there are for the own company; it may make more. */
import { Router, type RequestHandler } from 'express'
import type { Idempotency } from '../../commands/idempotency.ts'
import type { Json } from '../../domain/json.ts'
import { role as roleObject } from '../../identity/objects.ts'
import type { Role } from '../../identity/role.ts'
import { sharedKey, type Roles } from '../../identity/roles.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { answers } from '../answers.ts'
import { ifMatch } from '../conditional.ts'
import { JSON_LIMIT, jsonBody } from '../json-body.ts'
import { noParameters, pageRequest } from '../list-query.ts'
import { notAllowed } from '../not-allowed.ts'
import { rolePaths, roleSchemas } from '../openapi/identity/roles.ts'
import { needsNoGrant, requires } from '../policy.ts'
import { listAnswer } from '../record-answers.ts'
import { principalOf } from '../request-context.ts'
import { sendJson, success } from '../send.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../service-records.ts'
import type { IdentityPart } from './part.ts'
import { administratorOf } from './users.ts'

export interface RoleRoutes extends ServiceRecordsOptions {
  readonly roles: Roles
  /** The roles that every company has, by name. */
  readonly shared: ReadonlyMap<string, Role>
  readonly idempotency: Idempotency
  readonly readModels: ReadModels
}

const PATH = '/api/v1/identity/roles'

export function rolesPart(routes: RoleRoutes): IdentityPart {
  const { roles, shared, idempotency, readModels } = routes
  const records = serviceRecords(routes, roleObject)
  const answering = answers(idempotency)
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const texts = new Map([...shared.values()].map((role) => [sharedKey(role.Name), sharedRole(role)]))

  /** Those that every company has come first. */
  const list: RequestHandler = async (request, response) => {
    const asked = pageRequest(request)
    const offset = (asked.page - 1) * asked.pageSize
    const first = [...texts.values()].slice(offset, offset + asked.pageSize)
    const { records: own, total } = await readModels.list(principalOf(response).company, {
      object: roleObject.object,
      sort: [],
      offset: Math.max(0, offset - texts.size),
      limit: asked.pageSize - first.length,
      expand: [],
    })
    const data = [...first, ...own.map(({ json }) => json)]
    sendJson(response, 200, listAnswer(data, { total: texts.size + total }, asked))
  }

  const get: RequestHandler = async (request, response) => {
    const known = texts.get(request.params['key'] as string)
    if (!known) return records.get(request, response, principalOf(response).company)
    noParameters(request)
    sendJson(response, 200, success(known))
  }

  const router = Router({ caseSensitive: true })
  router
    .route('/roles')
    .get(may, list)
    .post(
      may,
      body,
      answering(async (caller, request, response) => {
        const written = await roles.create(caller, administratorOf(response), request.body as Json)
        return records.answer(201, PATH, caller.company, written)
      }),
    )
    .all(needsNoGrant('self'), notAllowed('GET, POST'))
  router
    .route('/roles/:key')
    .get(may, get)
    .patch(
      may,
      body,
      answering(async (caller, request, response) => {
        const key = request.params['key'] as string
        const change = { key, expected: ifMatch(request), body: request.body as Json }
        const written = await roles.update(caller, administratorOf(response), change)
        return records.answer(200, PATH, caller.company, written)
      }),
    )
    .delete(
      may,
      body,
      answering(async (caller, request, response) => {
        const key = request.params['key'] as string
        const change = { key, expected: ifMatch(request) }
        return records.deleted(caller.company, await roles.remove(caller, administratorOf(response), change))
      }),
    )
    .all(needsNoGrant('self'), notAllowed('GET, PATCH, DELETE'))
  return { router, paths: rolePaths, schemas: roleSchemas }
}

/** As a record of the company's own would be shown. */
function sharedRole({ Name, Description, Grants }: Role): string {
  const times = { CreatedAt: null, ModifiedAt: null }
  return JSON.stringify({ Id: sharedKey(Name), Name, Description: Description ?? null, Grants, ...times })
}
