/** `/api/v1/identity/roles`: the shared roles, and the company's own. */
import type { RequestHandler } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { NotFound } from '../../domain/errors.ts'
import { role as roleObject } from '../../identity/objects.ts'
import type { Role } from '../../rights/role.ts'
import { sharedKey, type OwnRoles } from '../../identity/own-roles.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { answers } from '../records/answers.ts'
import { noParameters, pageRequest } from '../records/list-query.ts'
import { rolePaths, roleSchemas } from './openapi/roles.ts'
import { listAnswer } from '../records/record-answers.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import { administeredRoutes } from './administered.ts'
import type { IdentityPart } from './part.ts'

export interface RoleRoutes extends ServiceRecordsOptions {
  readonly roles: OwnRoles
  /** The roles that every company has, by name. */
  readonly shared: ReadonlyMap<string, Role>
  readonly idempotency: Idempotency
  readonly readModels: ReadModels
}

export function rolesPart(routes: RoleRoutes): IdentityPart {
  const { roles, shared, idempotency, readModels } = routes
  const records = serviceRecords(routes, roleObject)
  const texts = new Map([...shared.values()].map((role) => [sharedKey(role.Name), sharedRole(role)]))

  /** Shared roles come first. */
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
    const key = request.params['key'] as string
    const known = texts.get(key)
    if (!known && texts.has(sharedKey(key)))
      throw new NotFound(`Role ${key} does not exist; did you mean ${sharedKey(key)}?`)
    if (!known) return records.get(request, response, principalOf(response).company)
    noParameters(request)
    sendJson(response, 200, success(known))
  }

  const router = administeredRoutes({
    name: 'roles',
    things: roles,
    records,
    answering: answers(idempotency),
    list,
    get,
  })
  return { router, paths: rolePaths, schemas: roleSchemas }
}

/** The role as a record of the company would be shown. */
function sharedRole({ Name, Description, Grants }: Role): string {
  const times = { CreatedAt: null, ModifiedAt: null }
  return JSON.stringify({ Id: sharedKey(Name), Name, Description: Description ?? null, Grants, ...times })
}
