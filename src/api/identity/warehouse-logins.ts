/** `/api/v1/identity/warehouse-logins`: logins to the warehouse database, for tools of analysts (docs/warehouse.md). */
import { Router, type Request } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Json } from '../../domain/json.ts'
import { warehouseLogin } from '../../identity/objects.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { ToolLoginCommands } from '../../identity/tool-logins/commands.ts'
import type { ToolServer } from '../../ports/tool-logins.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { expectedVersion } from '../http/conditional.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import { administratorOf } from './administered.ts'
import { warehouseLoginPaths, warehouseLoginSchemas } from './openapi/warehouse-logins.ts'
import type { IdentityPart } from './part.ts'

export interface WarehouseLoginRoutes extends ServiceRecordsOptions {
  readonly commands: ToolLoginCommands
  /** Where tools connect; undefined: there is no warehouse on PostgreSQL. */
  readonly server: ToolServer | undefined
  readonly idempotency: Idempotency
  readonly sealer: Sealer
}

const PATH = '/api/v1/identity/warehouse-logins'

export function warehouseLoginsPart(routes: WarehouseLoginRoutes): IdentityPart {
  const { commands, server, idempotency, sealer } = routes
  const records = serviceRecords(routes, warehouseLogin)
  const answering = answers(idempotency, sealer)
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const keyOf = (request: Request) => request.params['key'] as string
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/warehouse-logins')
      .get(may, (request, response) => records.list(request, response, principalOf(response).company))
      .post(
        may,
        body,
        answering(async (caller, request, response) => {
          const { written, password } = await commands.create(
            caller,
            administratorOf(response),
            request.body as Json,
          )
          return records.answer(201, PATH, caller.company, written, {
            Password: password,
            Host: server?.host ?? null,
            Port: server?.port ?? null,
            Database: server?.database ?? null,
          })
        }),
      ),
  )
  refuseOthers(
    router
      .route('/warehouse-logins/:key')
      .get(may, (request, response) => records.get(request, response, principalOf(response).company))
      .delete(
        may,
        body,
        answering(async (caller, request, response) => {
          const change = { key: keyOf(request), expected: expectedVersion(request) }
          return records.deleted(
            caller.company,
            await commands.revoke(caller, administratorOf(response), change),
          )
        }, VERSIONED_WRITES),
      ),
  )
  return { router, paths: warehouseLoginPaths, schemas: warehouseLoginSchemas }
}
