/** How the engines and projections stand: for readiness, metrics and operators. */
import type { EventEmitter } from 'node:events'
import type { CompanyLimits } from '../api/http/limits/limited.ts'
import type { RateLimits } from '../api/http/limits/rate-limits.ts'
import { metrics } from '../api/operations/metrics.ts'
import type { ExportTurns } from '../api/warehouse/export-turns.ts'
import type { Config } from '../config.ts'
import type { Position } from '../domain/events/event.ts'
import { lastBackup } from '../api/operations/last-backup.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import { knownStatuses } from '../projections/known-statuses.ts'
import { lagsOf } from '../api/operations/lags.ts'
import { watchReadiness } from '../api/operations/watch-readiness.ts'
import type { Stores } from './stores.ts'
import type { Warehouses } from './warehouse/warehouses.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

export interface WatchPartsOptions {
  readonly version: string
  readonly stores: Stores
  readonly warehouses: Warehouses
  readonly appends: EventEmitter<{ group: [size: number, head: Position] }>
  readonly sending: Webhooks
  readonly integrating: { readonly failing: () => number }
  readonly timersControl: ProjectionControl
  readonly clock: Clock
  readonly turns: Pick<ExportTurns, 'standing'>
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  readonly config: Pick<Config, 'DATA_DIR'>
  /** Resolves when requests are counted that other threads have answered. */
  readonly counted: () => Promise<void>
}

export function watchParts(options: WatchPartsOptions, closing: AsyncDisposableStack) {
  const { version, stores, warehouses, appends, sending, integrating, timersControl, clock } = options
  const { turns, rateLimits, companyLimits, config, counted } = options
  const { events, readModels, noticed } = stores
  const controls = [
    stores.projections,
    ...stores.controls,
    ...warehouses.controls,
    sending.control,
    timersControl,
  ]
  const statuses = knownStatuses(controls)
  const others = warehouses.checks
  const readiness = watchReadiness({ events, readModels, statuses, clock, others })
  closing.defer(() => readiness.stop())
  const measured = metrics({
    version,
    lags: () => lagsOf(statuses, events),
    checks: readiness.checks,
    deliveries: () => sending.hints.status(),
    noticed,
    counted,
    work: {
      exports: turns.standing,
      refused: () => ({
        client: rateLimits?.refused() ?? 0,
        company: companyLimits.requests?.refused() ?? 0,
        rows: companyLimits.rows?.refused() ?? 0,
      }),
      disabledWebhooks: sending.disabled,
      failingIntegrations: integrating.failing,
      lastBackup: () => lastBackup(config.DATA_DIR),
    },
  })
  appends.on('group', measured.appendGroup)
  return { controls, statuses, readiness, measured }
}
