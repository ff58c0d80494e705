/**
 * Numbers for Prometheus: request durations by route, event-loop delay, projection lag, append group size, delivery queue,
 * memory, what happens to subscriptions. What is not known is left out: no figure is better than an old one.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { RequestHandler } from 'express'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { measureMemory } from './memory-metrics.ts'
import type { Check } from '../../ports/readiness.ts'
import type { HintsStatus } from '../../ports/hints.ts'
import { send } from '../http/send.ts'
import { measureWork, type WorkFigures } from './work-metrics.ts'

export interface Metrics {
  /** A request was answered. */
  answered(method: string, route: string, status: number, seconds: number): void
  /** `GET /metrics`. */
  readonly page: RequestHandler
  /** An append group of this many appends was committed. */
  appendGroup(size: number): void
}

export interface MetricsOptions {
  /** Of Daybook. */
  readonly version: string
  /** How many positions each projection is behind (undefined: not known now), and whether it is parked. */
  readonly lags: () => Promise<
    readonly { readonly name: string; readonly lag: number | undefined; readonly parked: boolean }[]
  >
  /** The parts of the process, as for readiness. */
  readonly checks: () => readonly Check[]
  /** How the delivery queue stands; undefined when this process has none. Asked once for each gauge of a scrape. */
  readonly deliveries: () => Promise<HintsStatus | undefined>
  /** What subscriptions to a server of events have noticed so far; undefined where events are embedded. */
  readonly noticed: () => { readonly silent: number; readonly foreign: number } | undefined
  /** Resolves when requests are counted that other threads have answered; absent: there are none. */
  readonly counted?: (() => Promise<void>) | undefined
  readonly work: WorkFigures
}

export function metrics({
  version,
  lags,
  checks,
  deliveries,
  noticed,
  counted,
  work,
}: MetricsOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  showBuild(registry, version)
  measureMemory(registry)
  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()

  const durations = new Histogram({
    name: 'daybook_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const groups = new Histogram({
    name: 'daybook_append_group_size',
    help: 'Appends that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers: [registry],
  })
  new Gauge({
    name: 'daybook_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      this.set({ quantile: '0.5' }, loop.percentile(50) / 1e9)
      this.set({ quantile: '0.99' }, loop.percentile(99) / 1e9)
      this.set({ quantile: '1' }, loop.max / 1e9)
      loop.reset()
    },
  })
  new Gauge({
    name: 'daybook_projection_lag',
    help: 'Positions that a projection is behind the event store.',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { name, lag } of await lags()) if (lag !== undefined) this.set({ projection: name }, lag)
    },
  })
  new Gauge({
    name: 'daybook_projection_parked',
    help: '1 when a projection has stopped before an event that it cannot handle.',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { name, parked } of await lags()) this.set({ projection: name }, Number(parked))
    },
  })

  showChecks(registry, checks)
  measureDeliveries(registry, deliveries)
  countNotices(registry, noticed)
  measureWork(registry, work)

  return {
    answered: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    async page(_request, response) {
      await counted?.()
      send(response, 200, {}, registry.contentType, await registry.metrics())
    },
    appendGroup: (size) => groups.observe(size),
  }
}

function showBuild(registry: Registry, version: string): void {
  const build = new Gauge({
    name: 'daybook_build_info',
    help: 'Always 1; the labels say which Daybook runs on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version, node: process.version }, 1)
}

function showChecks(registry: Registry, checks: MetricsOptions['checks']): void {
  new Gauge({
    name: 'daybook_check_up',
    help: '1 while the part of the process is up, 0 while it is down (see GET /api/v1/health/ready).',
    labelNames: ['check'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, down } of checks()) this.set({ check: name }, Number(down === undefined))
    },
  })
}

function countNotices(registry: Registry, noticed: MetricsOptions['noticed']): void {
  const count = (kind: 'silent' | 'foreign', name: string, help: string) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(noticed()?.[kind] ?? 0)
      },
    })
  count(
    'silent',
    'daybook_event_store_silences_total',
    'Subscriptions that were opened on a new connection because events were there and did not come.',
  )
  count(
    'foreign',
    'daybook_event_store_foreign_events_total',
    'Events of other applications in streams named like records, which were passed over.',
  )
}

const QUEUE_STATES = ['open', 'blocked', 'unreachable'] as const

function measureDeliveries(registry: Registry, deliveries: MetricsOptions['deliveries']): void {
  new Gauge({
    name: 'daybook_delivery_queue_state',
    help: '1 for the state that the delivery queue is in: open, blocked (takes no deliveries) or unreachable.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const current = await deliveries()
      this.reset()
      if (current) for (const state of QUEUE_STATES) this.set({ state }, Number(state === current.state))
    },
  })
  const count = (name: 'waiting' | 'abandoned', help: string) =>
    new Gauge({
      name: `daybook_deliveries_${name}`,
      help,
      registers: [registry],
      async collect() {
        const { [name]: figure } = (await deliveries()) ?? {}
        if (figure === undefined) this.remove()
        else this.set(figure)
      },
    })
  count('waiting', 'Deliveries not yet handed over, due or not.')
  count('abandoned', 'Deliveries that failed too often and wait for a look at them.')
}
