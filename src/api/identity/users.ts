/** `/api/v1/identity/users`: the users of the company, for its administrators. */
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { user as userObject } from '../../identity/objects.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Users } from '../../identity/users.ts'
import { answers } from '../records/answers.ts'
import { userPaths, userSchemas } from './openapi/users.ts'
import { principalOf } from '../http/request-context.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import { administeredRoutes } from './administered.ts'
import type { IdentityPart } from './part.ts'

export interface UserRoutes extends ServiceRecordsOptions {
  readonly users: Users
  readonly idempotency: Idempotency
  readonly sealer: Sealer
}

export function usersPart(routes: UserRoutes): IdentityPart {
  const { users, idempotency, sealer } = routes
  const records = serviceRecords(routes, userObject)
  const router = administeredRoutes({
    name: 'users',
    things: users,
    records,
    answering: answers(idempotency, sealer),
    list: (request, response) => records.list(request, response, principalOf(response).company),
    get: (request, response) => records.get(request, response, principalOf(response).company),
  })
  return { router, paths: userPaths, schemas: userSchemas }
}
