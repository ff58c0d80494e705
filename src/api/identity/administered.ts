/** The routes of users and of roles: list and create; get, patch and delete by Key. */
import { Router, type RequestHandler, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { Json } from '../../domain/json.ts'
import type { Administrator, KeyedChange } from '../../identity/administrator.ts'
import type { Answering } from '../records/answers.ts'
import { expectedVersion } from '../http/conditional.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { requires } from '../policy.ts'
import { principalOf } from '../http/request-context.ts'
import type { ServiceRecords } from '../records/service-records.ts'

/** The commands behind the routes. */
export interface Administered {
  create(caller: Caller, by: Administrator, body: Json): Promise<Written>
  update(caller: Caller, by: Administrator, change: KeyedChange & { readonly body: Json }): Promise<Written>
  remove(caller: Caller, by: Administrator, change: KeyedChange): Promise<Written>
}

export interface AdministeredRoutes {
  /** Below `/api/v1/identity/`. */
  readonly name: string
  readonly things: Administered
  readonly records: Pick<ServiceRecords, 'answer' | 'deleted'>
  readonly answering: Answering
  readonly list: RequestHandler
  readonly get: RequestHandler
}

export function administeredRoutes(options: AdministeredRoutes): Router {
  const { name, things, records, answering, list, get } = options
  const path = `/api/v1/identity/${name}`
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route(`/${name}`)
      .get(may, list)
      .post(
        may,
        body,
        answering(async (caller, request, response) => {
          const written = await things.create(caller, administratorOf(response), request.body as Json)
          return records.answer(201, path, caller.company, written)
        }),
      ),
  )
  refuseOthers(
    router
      .route(`/${name}/:key`)
      .get(may, get)
      .patch(
        may,
        body,
        answering(async (caller, request, response) => {
          const key = request.params['key'] as string
          const change = { key, expected: expectedVersion(request), body: request.body as Json }
          const written = await things.update(caller, administratorOf(response), change)
          return records.answer(200, path, caller.company, written)
        }, VERSIONED_WRITES),
      )
      .delete(
        may,
        body,
        answering(async (caller, request, response) => {
          const change = { key: request.params['key'] as string, expected: expectedVersion(request) }
          return records.deleted(
            caller.company,
            await things.remove(caller, administratorOf(response), change),
          )
        }, VERSIONED_WRITES),
      ),
  )
  return router
}

export function administratorOf(response: Response): Administrator {
  return principalOf(response)
}
