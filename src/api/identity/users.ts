/** `/api/v1/identity/users`: the users of the own company, for those who administer it. */
import { Router, type Response } from 'express'
import type { Idempotency } from '../../commands/idempotency.ts'
import type { Json } from '../../domain/json.ts'
import { user as userObject } from '../../identity/objects.ts'
import type { Sealer } from '../../identity/sealed-secrets.ts'
import type { Administrator, Users } from '../../identity/users.ts'
import { answers } from '../answers.ts'
import { ifMatch } from '../conditional.ts'
import { JSON_LIMIT, jsonBody } from '../json-body.ts'
import { notAllowed } from '../not-allowed.ts'
import { userPaths, userSchemas } from '../openapi/identity/users.ts'
import { needsNoGrant, requires } from '../policy.ts'
import { principalOf } from '../request-context.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../service-records.ts'
import type { IdentityPart } from './part.ts'

export interface UserRoutes extends ServiceRecordsOptions {
  readonly users: Users
  readonly idempotency: Idempotency
  readonly sealer: Sealer
}

const PATH = '/api/v1/identity/users'

export function usersPart(routes: UserRoutes): IdentityPart {
  const { users, idempotency, sealer } = routes
  const records = serviceRecords(routes, userObject)
  const answering = answers(idempotency, sealer)
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const router = Router({ caseSensitive: true })
  router
    .route('/users')
    .get(may, (request, response) => records.list(request, response, principalOf(response).company))
    .post(
      may,
      body,
      answering(async (caller, request, response) => {
        const written = await users.create(caller, administratorOf(response), request.body as Json)
        return records.answer(201, PATH, caller.company, written)
      }),
    )
    .all(needsNoGrant('self'), notAllowed('GET, POST'))
  router
    .route('/users/:key')
    .get(may, (request, response) => records.get(request, response, principalOf(response).company))
    .patch(
      may,
      body,
      answering(async (caller, request, response) => {
        const key = request.params['key'] as string
        const change = { key, expected: ifMatch(request), body: request.body as Json }
        const written = await users.update(caller, administratorOf(response), change)
        return records.answer(200, PATH, caller.company, written)
      }),
    )
    .delete(
      may,
      body,
      answering(async (caller, request, response) => {
        const change = {
          key: request.params['key'] as string,
          expected: ifMatch(request),
        }
        return records.deleted(caller.company, await users.remove(caller, administratorOf(response), change))
      }),
    )
    .all(needsNoGrant('self'), notAllowed('GET, PATCH, DELETE'))
  return { router, paths: userPaths, schemas: userSchemas }
}

export function administratorOf(response: Response): Administrator {
  const { actor, roles, isReplaced } = principalOf(response)
  return { actor, roles, isReplaced }
}
