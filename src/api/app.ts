/** The HTTP side put together, in the order in which a request passes through it. */
import { parse as parseQuery } from 'node:querystring'
import express, { type Express, type RequestHandler } from 'express'
import { Unavailable } from '../domain/errors.ts'
import type { Authenticate } from '../identity/principal.ts'
import { arrival, type ArrivalOptions } from './arrival.ts'
import type { Area } from './area.ts'
import { docsRoutes, type DocsRoutes } from './docs.ts'
import { healthRoutes, type HealthRoutes } from './health.ts'
import { notFoundHandler, problemHandler, Refusal } from './problems.ts'
import { recordRoutes, type RecordRoutes } from './records.ts'
import { authenticated } from './request-context.ts'

export interface AppOptions
  extends Omit<RecordRoutes, 'authenticated' | 'isElsewhere'>, HealthRoutes, DocsRoutes, ArrivalOptions {
  readonly authenticate: Authenticate
  /** The parts of the API beside the records. */
  readonly areas: readonly Area[]
  /** A process without the role `api` answers for its health only. */
  readonly servesRecords: boolean
}

export function createApp(options: AppOptions): Express {
  const { log, metrics, authenticate, notReady } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // versions are the ETags here
  // Plain names and values, and all of them: what is passed over cannot be refused.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }))
  app.use(arrival(options))
  // Records first: they are what nearly every request is about, and each route before them would cost all of those.
  const guard = authenticated(authenticate)
  const whenReady: RequestHandler = (_request, _response, next) => {
    const reason = notReady()
    if (reason !== undefined) throw new Unavailable(reason)
    next()
  }
  const segments = [...options.areas.map(({ segment }) => segment), 'health', 'openapi.json']
  if (options.servesRecords)
    app.use('/api/v1', recordRoutes({ ...options, authenticated: guard, isElsewhere: below(segments) }))
  if (options.servesRecords)
    for (const { segment, openRouter, router } of options.areas)
      app.use(`/api/v1/${segment}`, whenReady, ...(openRouter ? [openRouter] : []), guard, router)
  app.use('/api/v1/health', healthRoutes(options))
  app.use(docsRoutes(options))
  app.get('/metrics', onlyFromLoopback, metrics.page)
  app.use(notFoundHandler)
  app.use(problemHandler(log))
  return app
}

/** Whether a path is below one of the segments. */
function below(segments: readonly string[]): (url: string) => boolean {
  const known = new Set(segments)
  return (url) => known.has(/^\/([^/?]*)/.exec(url)?.[1] ?? '')
}

const onlyFromLoopback: RequestHandler = (request, _response, next) => {
  const address = request.socket.remoteAddress ?? ''
  if (!/^(127\.|::1$|::ffff:127\.)/.test(address))
    throw new Refusal({ status: 403, code: 'FORBIDDEN', message: 'metrics are served on loopback only' })
  next()
}
