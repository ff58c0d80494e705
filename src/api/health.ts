/** `/api/v1/health`: is the process alive, and should it get requests. No authentication. */
import { Router } from 'express'
import { noParameters } from './list-query.ts'

export interface HealthRoutes {
  /** Undefined when requests can be served; otherwise why not. */
  readonly notReady: () => string | undefined
}

export function healthRoutes({ notReady }: HealthRoutes): Router {
  return Router()
    .get('/live', (request, response) => {
      noParameters(request)
      response.json({ Success: true, Data: { Status: 'live' } })
    })
    .get('/ready', (request, response) => {
      noParameters(request)
      const reason = notReady()
      if (reason === undefined) return void response.json({ Success: true, Data: { Status: 'ready' } })
      response
        .status(503)
        .json({ Success: false, Error: { Code: 'SERVER_ERROR', Message: reason, Details: [] } })
    })
}
