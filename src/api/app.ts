/** The HTTP side put together, in the order in which a request passes through it. */
import type { Express, RequestHandler } from 'express'
import { Unavailable } from '../domain/errors.ts'
import type { Principal } from '../identity/principal.ts'
import { arrival, type ArrivalOptions } from './http/arrival.ts'
import type { Area } from './area.ts'
import { consoleRoutes } from './console/console.ts'
import type { ConsoleFiles } from './console/files.ts'
import { meantPathsOf, meantRoute } from './openapi/meant-path.ts'
import { docsRoutes, type DocsRoutes } from './openapi/docs.ts'
import { healthRoutes, type HealthRoutes } from './operations/health.ts'
import {
  chargeUnauthorized,
  keepLimits,
  limitedByPrincipal,
  type CompanyLimits,
} from './http/limits/limited.ts'
import { knownSegments } from './http/logged-path.ts'
import { plainApp } from './plain-app.ts'
import type { Metrics } from './operations/metrics.ts'
import { requires } from './policy.ts'
import { notFoundHandler, problemHandler } from './http/problems.ts'
import type { RateLimits } from './http/limits/rate-limits.ts'
import { recordRoutes, type RecordRoutes } from './records/records.ts'
import { authenticated, type Authentication } from './http/request-context.ts'
import { isLocal, transportJudge, type TransportOptions } from './http/transport.ts'

export interface AppOptions
  extends
    Omit<RecordRoutes, 'authenticated' | 'isElsewhere'>,
    HealthRoutes,
    DocsRoutes,
    Omit<ArrivalOptions, 'crossOrigin' | 'isKnown' | 'isSecure'>,
    Authentication,
    TransportOptions {
  readonly metrics: Metrics
  /** The parts of the API beside the records. */
  readonly areas: readonly Area[]
  /** A process without the role `api` answers for its health only. */
  readonly servesRecords: boolean
  /** Undefined: everyone may do as much as they like. */
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  /** `APP_ORIGIN`: whose scripts may read answers. */
  readonly appOrigin: string | undefined
  /** Undefined: the console is not built. */
  readonly consoleFiles: ConsoleFiles | undefined
}

export function createApp(options: AppOptions): Express {
  const { log, metrics, notReady } = options
  const app = plainApp(options)
  keepLimits(app, options.rateLimits, options.companyLimits)
  const crossOrigin = options.appOrigin !== undefined
  const segments = [...options.areas.map(({ segment }) => segment), 'health', 'openapi.json']
  const isKnown = knownSegments([...options.definitions.keys(), ...segments])
  app.use(arrival({ ...options, crossOrigin, isKnown, isSecure: transportJudge(options) }))
  // Records first: they are what nearly every request is about, and each route before them would cost all of those.
  const guard = limitedByPrincipal(authenticated(options), options.rateLimits, options.companyLimits)
  const whenReady: RequestHandler = (_request, _response, next) => {
    const reason = notReady()
    if (reason !== undefined) throw new Unavailable(reason)
    next()
  }
  if (options.servesRecords)
    app.use('/api/v1', recordRoutes({ ...options, authenticated: guard, isElsewhere: below(segments) }))
  if (options.servesRecords)
    for (const { segment, openRouter, router } of options.areas)
      app.use(`/api/v1/${segment}`, whenReady, ...(openRouter ? [openRouter] : []), guard, router)
  app.use('/api/v1/health', healthRoutes(options))
  app.use(docsRoutes(options))
  app.use(consoleRoutes(options.consoleFiles))
  app.get('/metrics', localOr(guard), requires('operate'), metrics.page)
  const meant = meantPathsOf(options.definitions, options.areas)
  app.use(notFoundHandler(meant), meantRoute(meant))
  app.use(chargeUnauthorized)
  app.use(problemHandler(log, isKnown))
  return app
}

/** Whether a path is below one of the segments; scheme and host may stand before it. */
function below(segments: readonly string[]): (url: string) => boolean {
  const known = new Set(segments)
  return (url) => known.has(/^(?:https?:\/\/[^/?]*)?\/([^/?]*)/i.exec(url)?.[1] ?? '')
}

/** A request from the machine itself, past no proxy, comes from an operator; others have to authenticate. */
const localOr =
  (guard: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (!isLocal(request)) return guard(request, response, next)
    response.locals.principal = thisMachine
    next()
  }

const thisMachine: Principal = {
  company: '',
  actor: 'this-machine',
  person: 'this-machine',
  name: 'this machine',
  companyName: '',
  roles: [],
  access: { grant: (_object, action) => (action === 'operate' ? {} : undefined) },
}
