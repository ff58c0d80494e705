/** `/api/v1/health`: is the process alive, and should it get requests. No authentication. */
import { Router } from 'express'
import type { HintsStatus } from '../../ports/hints.ts'
import { noParameters } from '../records/list-query.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { needsNoGrant } from '../policy.ts'
import { sendProblem } from '../http/problems.ts'
import { sendJson, success } from '../http/send.ts'

export interface HealthRoutes {
  /** Undefined when requests can be served; otherwise why not. */
  readonly notReady: () => string | undefined
  /** State of the delivery queue, if this process has one. For operators; requests are served in any case. */
  readonly deliveryQueue: () => HintsStatus['state'] | undefined
  /** Why webhooks are held, for operators. */
  readonly webhooksHeld: () => string | undefined
}

export function healthRoutes({ notReady, deliveryQueue, webhooksHeld }: HealthRoutes): Router {
  const probe = needsNoGrant('probe')
  const router = Router()
  refuseOthers(
    router.route('/live').get(probe, (request, response) => {
      noParameters(request)
      sendJson(response, 200, success('{"Status":"live"}'))
    }),
  )
  refuseOthers(
    router.route('/ready').get(probe, (request, response) => {
      noParameters(request)
      const reason = notReady()
      if (reason !== undefined)
        return sendProblem(response, { status: 503, code: 'SERVER_ERROR', message: reason })
      const state = deliveryQueue()
      const held = webhooksHeld()
      const details = {
        Status: 'ready',
        ...(state !== undefined && { DeliveryQueue: state }),
        ...(held !== undefined && { Webhooks: held }),
      }
      sendJson(response, 200, success(JSON.stringify(details)))
    }),
  )
  return router
}
