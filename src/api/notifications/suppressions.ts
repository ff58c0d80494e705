/** `/suppressions`: addresses that are not written to. */
import { Router } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Json } from '../../domain/json.ts'
import { suppression } from '../../notifications/objects.ts'
import type { MessageEvents } from '../../notifications/sending/message-events.ts'
import type { Suppressions } from '../../notifications/sending/suppressions.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { success } from '../http/send.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { serviceRecords, type ServiceRecordsOptions } from '../records/service-records.ts'
import { readBody } from '../../shapes/body.ts'
import { suppressed } from './bodies.ts'
import { storedAnswer } from './stored-answer.ts'

export interface SuppressionRoutes extends ServiceRecordsOptions {
  readonly write: WriteRecords
  readonly idempotency: Idempotency
  readonly messages: MessageEvents
  readonly suppressions: Suppressions
}

export function suppressionRoutes(routes: SuppressionRoutes): Router {
  const { write, idempotency, messages, suppressions } = routes
  const answering = answers(idempotency)
  const may = requires('notify', 'template')
  const body = jsonBody(JSON_LIMIT)
  const records = serviceRecords(routes, suppression)
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/suppressions')
      .get(may, (request, response) => records.list(request, response, principalOf(response).company))
      .post(
        may,
        body,
        answering(async (caller, request) => {
          const key = await suppressions.add(caller.company, suppressedIn(request.body as Json), caller)
          return storedAnswer(messages, caller.company, key, 201)
        }),
      ),
  )
  refuseOthers(
    router.route('/suppressions/:key').delete(
      may,
      body,
      answering(async (caller, request) => {
        const key = request.params['key'] as string
        await write.remove(caller, { definition: suppression, key })
        return { status: 200, headers: {}, body: success(JSON.stringify({ Id: key, IsDeleted: true })) }
      }),
    ),
  )
  return router
}

function suppressedIn(body: Json) {
  const {
    Address,
    Category = '*',
    Reason = 'entered by hand',
  } = readBody(suppressed, body, 'The suppression is not valid.')
  return { address: Address, category: Category, reason: Reason }
}
