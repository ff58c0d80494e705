/** `/api/v1/health`: is the process alive, and should it get requests. No authentication. */
import { Router } from 'express'
import { noParameters } from './list-query.ts'
import { sendProblem } from './problems.ts'
import { sendJson, success } from './send.ts'

export interface HealthRoutes {
  /** Undefined when requests can be served; otherwise why not. */
  readonly notReady: () => string | undefined
}

export function healthRoutes({ notReady }: HealthRoutes): Router {
  return Router()
    .get('/live', (request, response) => {
      noParameters(request)
      sendJson(response, 200, success('{"Status":"live"}'))
    })
    .get('/ready', (request, response) => {
      noParameters(request)
      const reason = notReady()
      if (reason === undefined) sendJson(response, 200, success('{"Status":"ready"}'))
      else sendProblem(response, { status: 503, code: 'SERVER_ERROR', message: reason })
    })
}
