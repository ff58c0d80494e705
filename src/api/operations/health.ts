/** `/api/v1/health`: whether the process is alive, and whether it should get requests. No authentication. */
import { Router } from 'express'
import type { Check, Readiness } from '../../ports/readiness.ts'
import type { HintsStatus } from '../../ports/hints.ts'
import { noParameters } from '../records/list-query.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { needsNoGrant } from '../policy.ts'
import { sendProblem } from '../http/problems.ts'
import { sendJson, success } from '../http/send.ts'

export interface HealthRoutes {
  /** Why no request is served, during start and stop; undefined otherwise. */
  readonly notReady: () => string | undefined
  readonly readiness: Readiness
  /** Of Daybook. */
  readonly version: string
  /** State of the delivery queue, if this process has one. For operators; requests are served in any case. */
  readonly deliveryQueue: () => HintsStatus['state'] | undefined
  /** Why webhooks are held, for operators. */
  readonly webhooksHeld: () => string | undefined
}

export function healthRoutes({
  notReady,
  readiness,
  version,
  deliveryQueue,
  webhooksHeld,
}: HealthRoutes): Router {
  const probe = needsNoGrant('probe')
  const router = Router()
  refuseOthers(
    router.route('/').get(probe, (request, response) => {
      noParameters(request)
      sendJson(response, 200, success(JSON.stringify({ Status: 'live', Version: version })))
    }),
  )
  refuseOthers(
    router.route('/live').get(probe, (request, response) => {
      noParameters(request)
      sendJson(response, 200, success('{"Status":"live"}'))
    }),
  )
  refuseOthers(
    router.route('/ready').get(probe, (request, response) => {
      noParameters(request)
      const checks = readiness.checks()
      const reason = notReady() ?? reasonOf(checks)
      if (reason !== undefined)
        return sendProblem(response, {
          status: 503,
          code: 'SERVER_ERROR',
          message: reason,
          details: checks.flatMap(({ name, down }) =>
            down === undefined ? [] : [{ Field: name, Message: down }],
          ),
          headers: { 'Retry-After': '5' },
        })
      const state = deliveryQueue()
      const held = webhooksHeld()
      const details = {
        Status: 'ready',
        ...(state !== undefined && { DeliveryQueue: state }),
        ...(held !== undefined && { Webhooks: held }),
        Checks: checks.map(({ name, down = null }) => ({
          Name: name,
          State: down === null ? 'up' : 'down',
          Reason: down,
        })),
      }
      sendJson(response, 200, success(JSON.stringify(details)))
    }),
  )
  return router
}

/** Of the first part that requests need and that is down. */
function reasonOf(checks: readonly Check[]): string | undefined {
  return checks.find(({ required, down }) => required && down !== undefined)?.down
}
