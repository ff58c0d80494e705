/** The HTTP side put together, in the order in which a request passes through it. */
import express, { type Express, type RequestHandler } from 'express'
import type { Authenticate } from '../identity/principal.ts'
import { docsRoutes, type DocsRoutes } from './docs.ts'
import { healthRoutes, type HealthRoutes } from './health.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { notFoundHandler, problemHandler, Refusal } from './problems.ts'
import { recordRoutes, type RecordRoutes } from './records.ts'
import { authenticated, withRequestId } from './request-context.ts'

export interface AppOptions extends RecordRoutes, HealthRoutes, DocsRoutes {
  readonly authenticate: Authenticate
  readonly metrics: Metrics
  readonly log: Log
}

export function createApp(options: AppOptions): Express {
  const { log, metrics, authenticate } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // versions are the ETags here
  app.set('query parser', 'simple')
  app.use(metrics.timed, withRequestId(), requestLog(log), securityHeaders)
  app.get('/metrics', onlyFromLoopback, metrics.page)
  app.use('/api/v1/health', healthRoutes(options))
  app.use(docsRoutes(options))
  app.use('/api/v1', authenticated(authenticate), recordRoutes(options))
  app.use(notFoundHandler)
  app.use(problemHandler(log))
  return app
}

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Cache-Control', 'no-store')
  next()
}

/** One line a request at level debug; what failed or took long stands out at higher levels. Never headers or bodies. */
function requestLog(log: Log): RequestHandler {
  return (request, response, next) => {
    const start = performance.now()
    response.on('finish', () => {
      const ms = performance.now() - start
      const level = response.statusCode >= 500 ? 'warn' : ms > SLOW_MS ? 'info' : 'debug'
      log[level](
        {
          request: response.locals['requestId'] as string,
          method: request.method,
          path: request.path,
          status: response.statusCode,
          ms: Math.round(ms * 10) / 10,
        },
        'request',
      )
    })
    next()
  }
}

const SLOW_MS = 1_000

const onlyFromLoopback: RequestHandler = (request, _response, next) => {
  const address = request.socket.remoteAddress ?? ''
  if (!/^(127\.|::1$|::ffff:127\.)/.test(address))
    throw new Refusal({ status: 403, code: 'FORBIDDEN', message: 'metrics are served on loopback only' })
  next()
}
