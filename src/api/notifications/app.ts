/** The notification-template service as an app of its own: templates, messages, suppressions; by tokens only. */
import { parse as parseQuery } from 'node:querystring'
import express, { type Express, type RequestHandler, type Router } from 'express'
import { Unavailable } from '../../domain/errors.ts'
import { arrival, type ArrivalOptions } from '../http/arrival.ts'
import {
  chargeUnauthorized,
  keepLimits,
  limitedByPrincipal,
  type CompanyLimits,
} from '../http/limits/limited.ts'
import type { RateLimits } from '../http/limits/rate-limits.ts'
import { knownSegments } from '../http/logged-path.ts'
import { notFoundHandler, problemHandler } from '../http/problems.ts'
import { meantPaths } from '../openapi/meant-path.ts'
import { notificationPaths } from './openapi/paths.ts'
import { authenticated, type Authentication } from '../http/request-context.ts'
import { transportJudge, type TransportOptions } from '../http/transport.ts'

export interface NotificationAppOptions
  extends Omit<ArrivalOptions, 'crossOrigin' | 'isKnown' | 'isSecure'>, Authentication, TransportOptions {
  /** For everyone. */
  readonly openRouters: readonly Router[]
  readonly routers: readonly Router[]
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  readonly notReady: () => string | undefined
}

const SEGMENTS = [
  'templates',
  'messages',
  'triggers',
  'suppressions',
  'layouts',
  'bounces',
  'inbound',
  'openapi.json',
  'docs',
]

export function createNotificationApp(options: NotificationAppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }))
  app.set('trust proxy', options.trustProxy ?? false)
  keepLimits(app, options.rateLimits, options.companyLimits)
  const isKnown = knownSegments(SEGMENTS)
  app.use(arrival({ ...options, crossOrigin: false, isKnown, isSecure: transportJudge(options) }))
  const whenReady: RequestHandler = (_request, _response, next) => {
    const reason = options.notReady()
    if (reason !== undefined) throw new Unavailable(reason)
    next()
  }
  // A session is for the pages of the other service.
  const withoutCookies: RequestHandler = (request, _response, next) => {
    delete request.headers.cookie
    next()
  }
  app.use(whenReady, ...options.openRouters)
  app.use(
    withoutCookies,
    limitedByPrincipal(authenticated(options), options.rateLimits, options.companyLimits),
  )
  app.use(...options.routers)
  const described = Object.keys(notificationPaths(''))
  app.use(notFoundHandler(meantPaths('', () => described)))
  app.use(chargeUnauthorized)
  app.use(problemHandler(options.log, isKnown))
  return app
}
