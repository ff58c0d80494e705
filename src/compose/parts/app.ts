/** The HTTP side put together from the parts of the service: which areas there are, and what they ask. */
import { join } from 'node:path'
import type { Express } from 'express'
import { createApp } from '../../api/app.ts'
import type { Origins } from '../../api/http/csrf.ts'
import { matchRoutes } from '../../api/bank/matches.ts'
import { consoleFiles } from '../../api/console/files.ts'
import type { CommonHeaders } from '../../api/http/common-headers.ts'
import type { CompanyLimits } from '../../api/http/limits/limited.ts'
import type { RateLimits } from '../../api/http/limits/rate-limits.ts'
import type { Log } from '../../ports/log.ts'
import type { PositionTokens } from '../../api/http/position-tokens.ts'
import type { Metrics } from '../../api/operations/metrics.ts'
import { objectsArea } from '../../api/objects/objects.ts'
import { projectionsArea } from '../../api/operations/projections.ts'
import { actorNames } from '../../api/records/actors.ts'
import { exportRoutes } from '../../api/records/export.ts'
import type { ExportTurns } from '../../api/warehouse/export-turns.ts'
import { warehouseArea } from '../../api/warehouse/warehouse.ts'
import { importsArea } from '../../api/imports/area.ts'
import { profilesArea } from '../../api/imports/kept/profiles.ts'
import { schedulesArea } from '../../api/imports/kept/schedules.ts'
import { templateRoutes } from '../../api/imports/templates.ts'
import { uploadRoutes } from '../../api/imports/upload.ts'
import { webhooksArea } from '../../api/webhooks/webhooks.ts'
import { waitingArea } from '../../api/workflow/waiting.ts'
import { workflowRoutes } from '../../api/workflow/workflow.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { Readiness } from '../../ports/readiness.ts'
import type { KnownStatuses } from '../../projections/known-statuses.ts'
import type { LookingBack } from './history.ts'
import { withSent } from './definitions.ts'
import type { Identity } from './identity.ts'
import type { OpenImports } from './imports.ts'
import type { Notifications } from './notifications.ts'
import type { OpenIntegrations } from './integrations.ts'
import type { Stores } from '../stores.ts'
import type { Warehouses } from '../warehouse/warehouses.ts'
import { resolveHost } from '../../webhooks/resolve-host.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { WriteSide } from './write-side.ts'

export interface AppParts {
  readonly config: Config
  readonly version: string
  /** The objects that are served. */
  readonly definitions: Definitions
  readonly headers: CommonHeaders
  readonly tls: object | undefined
  readonly clock: Clock
  readonly log: Log
  readonly stores: Stores
  readonly warehouses: Warehouses
  readonly writeSide: WriteSide
  readonly sealer: Sealer
  readonly positions: PositionTokens
  readonly identity: Identity
  readonly sending: Webhooks
  readonly notifications: Pick<Notifications, 'area'>
  readonly past: LookingBack
  readonly importing: OpenImports
  readonly integrating: OpenIntegrations
  readonly turns: ExportTurns
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  readonly measured: Metrics
  readonly controls: readonly ProjectionControl[]
  readonly statuses: () => Promise<KnownStatuses>
  readonly readiness: Readiness
  readonly publicUrl: () => string
  readonly origins: Origins
  /** Why requests are refused for now; undefined when they are not. */
  readonly notReady: () => string | undefined
}

/** As `npm run build --workspace console` leaves it. */
const CONSOLE = join(import.meta.dirname, '..', '..', '..', 'console', 'dist')

export function openApp(parts: AppParts): Express {
  const { config, version, definitions, headers, log, writeSide, past, identity } = parts
  const { positions, publicUrl, notReady } = parts
  const { events, readModels } = parts.stores
  const { states, claims, write, idempotency } = writeSide
  const readYourWritesMs = config.READ_YOUR_WRITES_MS
  const writing = { definitions, readModels, positions, write, idempotency, readYourWritesMs }
  const actorName = actorNames(states)
  return createApp({
    ...writing,
    clock: parts.clock,
    ownerOf: claims.ownerOf,
    servesRecords: config.ROLES.has('api'),
    areas: areasOf(parts),
    asOf: past.asOf,
    recordExtras: [
      ...past.routes,
      exportRoutes({ ...writing, asOf: past.asOf, turns: parts.turns }),
      workflowRoutes({ ...writing, events, states, actorName }),
      matchRoutes({ work: parts.importing.work, idempotency, readYourWritesMs }),
      templateRoutes(definitions),
      uploadRoutes({
        ...parts.importing,
        definitions,
        idempotency,
        actorName,
        maxBytes: config.IMPORT_MAX_BYTES,
      }),
    ],
    deliveryQueue: parts.sending.hints.lastState,
    webhooksHeld: parts.sending.held,
    notReady,
    readiness: parts.readiness,
    publicUrl,
    appOrigin: config.APP_ORIGIN,
    origins: parts.origins,
    commonHeaders: headers,
    tls: parts.tls !== undefined,
    trustProxy: config.TRUST_PROXY,
    rateLimits: parts.rateLimits,
    companyLimits: parts.companyLimits,
    version,
    consoleFiles: consoleFiles(CONSOLE),
    authenticate: identity.authenticate,
    cookieDomain: config.COOKIE_DOMAIN,
    metrics: parts.measured,
    log,
    everyRequest: ['trace', 'debug'].includes(config.LOG_LEVEL),
  })
}

/** The parts of the API beside the records. */
function areasOf({ config, clock, definitions, stores, ...parts }: AppParts) {
  const { events, readModels } = stores
  const { sealer, positions, sending, identity, past, turns, warehouses, controls, statuses } = parts
  const { states, write, idempotency } = parts.writeSide
  const readYourWritesMs = config.READ_YOUR_WRITES_MS
  const head = () => events.head()
  const { load } = states
  const kept = { definitions, readModels, positions, write, load, idempotency, readYourWritesMs }
  return [
    identity.area,
    projectionsArea({ controls, statuses, head }),
    objectsArea({ definitions }),
    importsArea({ ...parts.importing, definitions, readModels, idempotency, actorName: actorNames(states) }),
    profilesArea(kept),
    schedulesArea({ ...kept, clock, sealing: sealer, sourceOf: parts.importing.sourceOf }),
    webhooksArea({
      definitions: withSent(definitions),
      events,
      readModels,
      positions,
      write,
      load: states.load,
      deliveries: sending.deliveries,
      idempotency,
      sealer,
      clock,
      readYourWritesMs,
      rules: sending.rules,
      resolve: resolveHost,
    }),
    parts.notifications.area(),
    ...parts.integrating.areas,
    ...past.areas,
    waitingArea({ definitions, events, states, readModels, actorName: actorNames(states) }),
    warehouseArea({ warehouse: warehouses.warehouse, positions, turns, clock, head, readYourWritesMs }),
  ]
}
