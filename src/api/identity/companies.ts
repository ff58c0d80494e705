/** `/api/v1/identity/companies`: the companies of the service, for operators. It shows none of their records. */
import { Router } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'
import type { Companies } from '../../identity/companies.ts'
import { company as companyObject } from '../../identity/objects.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { answers } from '../records/answers.ts'
import { expectedVersion } from '../http/conditional.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { companyPaths, companySchemas } from './openapi/companies.ts'
import { requires } from '../policy.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import type { IdentityPart } from './part.ts'

export interface CompanyRoutes extends ServiceRecordsOptions {
  readonly companies: Companies
  readonly idempotency: Idempotency
  readonly sealer: Sealer
}

const PATH = '/api/v1/identity/companies'

export function companiesPart(routes: CompanyRoutes): IdentityPart {
  const { companies, idempotency, sealer } = routes
  const records = serviceRecords(routes, companyObject)
  const answering = answers(idempotency, sealer)
  const may = requires('operate')
  const body = jsonBody(JSON_LIMIT)
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/companies')
      .get(may, (request, response) => records.list(request, response, SYSTEM))
      .post(
        may,
        body,
        answering(async (caller, request) => {
          const { company, admin } = await companies.create(caller, request.body as Json)
          const { Email, Name, Roles } = admin.state.fields
          const Admin = {
            Id: admin.key,
            Email: Email ?? null,
            Name: Name ?? null,
            Company: { Id: company.key, Name: company.state.fields['Name'] ?? null },
            Roles: Roles ?? [],
          }
          return records.answer(201, PATH, caller.company, company, { Admin })
        }),
      ),
  )
  refuseOthers(
    router
      .route('/companies/:key')
      .get(may, (request, response) => records.get(request, response, SYSTEM))
      .patch(
        may,
        body,
        answering(async (caller, request) => {
          const key = request.params['key'] as string
          const change = { key, expected: expectedVersion(request), body: request.body as Json }
          return records.answer(200, PATH, caller.company, await companies.update(caller, change))
        }, VERSIONED_WRITES),
      ),
  )
  return { router, paths: companyPaths, schemas: companySchemas }
}
