/** The HTTP side put together, in the order in which a request passes through it. */
import { parse as parseQuery } from 'node:querystring'
import express, { type Express, type RequestHandler } from 'express'
import type { Authenticate } from '../identity/principal.ts'
import { arrival, type ArrivalOptions } from './arrival.ts'
import { docsRoutes, type DocsRoutes } from './docs.ts'
import { healthRoutes, type HealthRoutes } from './health.ts'
import { notFoundHandler, problemHandler, Refusal } from './problems.ts'
import { recordRoutes, type RecordRoutes } from './records.ts'
import { authenticated } from './request-context.ts'

export interface AppOptions
  extends Omit<RecordRoutes, 'authenticated'>, HealthRoutes, DocsRoutes, ArrivalOptions {
  readonly authenticate: Authenticate
  /** A process without the role `api` answers for its health only. */
  readonly servesRecords: boolean
}

export function createApp(options: AppOptions): Express {
  const { log, metrics, authenticate } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // versions are the ETags here
  // Plain names and values, and all of them: what is passed over cannot be refused.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }))
  app.use(arrival(options))
  // Records first: they are what nearly every request is about, and each route before them would cost all of those.
  if (options.servesRecords)
    app.use('/api/v1', recordRoutes({ ...options, authenticated: authenticated(authenticate) }))
  app.use('/api/v1/health', healthRoutes(options))
  app.use(docsRoutes(options))
  app.get('/metrics', onlyFromLoopback, metrics.page)
  app.use(notFoundHandler)
  app.use(problemHandler(log))
  return app
}

const onlyFromLoopback: RequestHandler = (request, _response, next) => {
  const address = request.socket.remoteAddress ?? ''
  if (!/^(127\.|::1$|::ffff:127\.)/.test(address))
    throw new Refusal({ status: 403, code: 'FORBIDDEN', message: 'metrics are served on loopback only' })
  next()
}
