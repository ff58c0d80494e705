/** Numbers for Prometheus: request durations by route, event-loop delay, projection lag, append group size, memory. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { RequestHandler } from 'express'
import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { send } from './send.ts'

export interface Metrics {
  /** A request was answered. */
  answered(method: string, route: string, status: number, seconds: number): void
  /** `GET /metrics`. */
  readonly page: RequestHandler
  /** An append group of this many appends was committed. */
  appendGroup(size: number): void
}

export interface MetricsOptions {
  /** Events that each projection has still to handle, in positions. */
  readonly lags: () => Promise<
    readonly { readonly name: string; readonly lag: number; readonly parked: boolean }[]
  >
}

export function metrics({ lags }: MetricsOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
      for (const one of await lags()) this.set({ projection: one.name }, one.lag)
    },
  })
  new Gauge({
    name: 'daybook_projection_parked',
    help: '1 when a projection has stopped before an event that it cannot handle.',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      for (const one of await lags()) this.set({ projection: one.name }, Number(one.parked))
    },
  })

  return {
    answered: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    async page(_request, response) {
      send(response, 200, {}, registry.contentType, await registry.metrics())
    },
    appendGroup: (size) => groups.observe(size),
  }
}
