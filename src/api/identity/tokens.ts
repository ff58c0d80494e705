/** `/api/v1/identity/tokens`: API tokens of the company (docs/open-facts.md 23 to 25). */
import { Router, type Request, type Response } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Json } from '../../domain/json.ts'
import { token as tokenObject } from '../../identity/objects.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Issued, Tokens } from '../../identity/tokens/tokens.ts'
import { answers } from '../records/answers.ts'
import { expectedVersion } from '../http/conditional.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { tokenPaths, tokenSchemas } from './openapi/tokens.ts'
import { granted, needsNoGrant, requires } from '../policy.ts'
import { principalOf } from '../http/request-context.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import type { IdentityPart } from './part.ts'
import { administratorOf } from './administered.ts'

export interface TokenRoutes extends ServiceRecordsOptions {
  readonly tokens: Tokens
  readonly idempotency: Idempotency
  readonly sealer: Sealer
}

const PATH = '/api/v1/identity/tokens'

export function tokensPart(routes: TokenRoutes): IdentityPart {
  const { tokens, idempotency, sealer } = routes
  const records = serviceRecords(routes, tokenObject)
  const answering = answers(idempotency, sealer)
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const keyOf = (request: Request) => request.params['key'] as string
  const shown = (status: 200 | 201, company: string, { written, value }: Issued) =>
    records.answer(status, PATH, company, written, { Token: value })

  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/tokens')
      .get(may, (request, response) => records.list(request, response, principalOf(response).company))
      .post(
        may,
        body,
        answering(async (caller, request, response) => {
          const issued = await tokens.create(caller, administratorOf(response), request.body as Json)
          return shown(201, caller.company, issued)
        }),
      ),
  )
  refuseOthers(
    router
      .route('/tokens/:key')
      .get(may, (request, response) => records.get(request, response, principalOf(response).company))
      .delete(
        needsNoGrant('self'),
        body,
        answering(async (caller, request, response) => {
          checkOwnOrAdministers(response, keyOf(request))
          const change = { key: keyOf(request), expected: expectedVersion(request) }
          return records.deleted(
            caller.company,
            await tokens.revoke(caller, administratorOf(response), change),
          )
        }, VERSIONED_WRITES),
      ),
  )
  refuseOthers(
    router.route('/tokens/:key/rotate').post(
      needsNoGrant('self'),
      body,
      answering(async (caller, request, response) => {
        checkOwnOrAdministers(response, keyOf(request))
        const sent = request.body as Json | undefined
        const issued = await tokens.rotate(caller, administratorOf(response), keyOf(request), sent)
        return shown(200, caller.company, issued)
      }),
    ),
  )
  return { router, paths: tokenPaths, schemas: tokenSchemas }
}

/** A token may rotate and revoke itself without any grant. @throws Refusal (403) */
function checkOwnOrAdministers(response: Response, key: string): void {
  if (principalOf(response).actor !== key) granted(response, '*', 'administer')
}
