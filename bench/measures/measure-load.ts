/** Measures the scenarios on a service that has been filled, and the bounds that they are compared with. */
import { newContract, type Dataset } from '../dataset.ts'
import type { Bounds, Figure } from '../figures.ts'
import type { LoadGenerator } from '../load/client.ts'
import type { LoadResult } from '../load/generate.ts'
import { threadTimes, timesEach, toldTimes } from './thread-times.ts'
import { watchingMemory } from './memory.ts'
import { get, send } from '../requests.ts'
import type { Scenario } from '../scenarios.ts'
import type { RunningServer } from '../servers.ts'

export interface Timing {
  readonly seconds: number
  readonly warmupSeconds: number
}

export interface Measurement extends Timing {
  readonly scenario: Scenario
  readonly server: RunningServer
  readonly generator: LoadGenerator
  readonly dataset: Dataset
  readonly bounds: Bounds
  readonly connections: number
  /** Counts the measurements of a process. */
  readonly run: number
}

/** Where the goals apply (docs/benchmark-figures.md). */
const GOAL_AT = { records: 10_000, connections: 32 }

export async function measureScenario(measurement: Measurement): Promise<Figure> {
  const { scenario, server, generator, dataset, bounds, connections, run, seconds, warmupSeconds } =
    measurement
  const { name, title, writes, goal } = scenario
  const load = {
    port: server.port,
    requests: scenario.requests(dataset, run),
    connections,
    seconds,
    warmupSeconds,
    // A write that stored no event is not the write that was to be measured.
    ...(writes === 'all' && { expectHeader: 'Daybook-Position' }),
    ...(writes !== 'none' && { watchHeader: 'Daybook-Read-Lag' }),
  }
  const first = scenario.before && (await askOnce(measurement, scenario.before(dataset)))
  const heading = `${title}, ${connections} connections`
  const before = threadTimes(server.pid)
  const { result, rss } = await watchingMemory(server.pid, () =>
    server.profiling(heading, () => generator.run(load)),
  )
  const { perSecond, p50, p99 } = result
  // Requests of the warm-up are not counted, but computed.
  const asked = perSecond * (seconds + warmupSeconds)
  const told = toldTimes(timesEach(before, threadTimes(server.pid), asked))
  const express = bounds[scenario.bound]
  const atGoal = dataset.records === GOAL_AT.records && connections === GOAL_AT.connections
  return {
    name,
    title,
    records: dataset.records,
    connections,
    perSecond,
    p50,
    p99,
    errors: result.errors + result.without + (first?.errors ?? 0),
    rss,
    ofExpress: express && perSecond / express,
    ofHttp: bounds.http && perSecond / bounds.http,
    goal: atGoal ? goal : undefined,
    notes: [...(first ? [firstTime(first)] : []), ...(told === undefined ? [] : [told]), ...notesOf(result)],
  }
}

/** As many at once as a page shows lists. */
const ASKED_AT_ONCE = 4

function askOnce({ server, generator }: Measurement, requests: readonly string[]): Promise<LoadResult> {
  return generator.run({
    port: server.port,
    requests: [...new Set(requests)],
    connections: ASKED_AT_ONCE,
    once: true,
  })
}

function firstTime({ answered, p50, p99 }: LoadResult): string {
  const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0))
  return `the first time each was asked (${answered}, ${ASKED_AT_ONCE} at once): p50 ${ms(p50)} ms, p99 ${ms(p99)} ms`
}

function notesOf({ with: lagging, without, examples }: LoadResult): string[] {
  return [
    ...(lagging > 0 ? [`${lagging} writes were answered before reads showed them`] : []),
    ...(without > 0 ? [`${without} writes stored nothing`] : []),
    ...examples.map((example) => `failed: ${example.replace(/\r\n/g, ' | ')}`),
  ]
}

export interface BoundMeasurement extends Timing {
  readonly server: RunningServer
  readonly generator: LoadGenerator
  readonly connections: number
}

/** The bare `node:http` server. */
export async function measureHttpBound(measurement: BoundMeasurement): Promise<Figure> {
  const requests = Array.from({ length: 1_000 }, (_, i) => get(`/api/v1/contract/${i}`))
  return measureBound('bound-http', 'bound: node:http, 1 KB', 0, requests, measurement)
}

/** Express and `node:sqlite`: what a service of this kind could do if it did nothing else. */
export async function measureExpressBound(
  kind: 'get' | 'create' | 'grouped' | 'mixed',
  dataset: Dataset,
  measurement: BoundMeasurement,
): Promise<Figure> {
  const gets = () =>
    dataset.contracts.map((_, i) => get(`/contract/contract-${(i * 7_919) % dataset.records}`))
  const posts = (path: string) =>
    Array.from({ length: 5_000 }, (_, i) => send('POST', path, newContract(dataset, i)))
  const creates = () => posts('/contract')
  const grouped = () => posts('/grouped')
  const mixed = () => {
    const [reads, writes] = [gets(), creates()]
    return Array.from({ length: 20_000 }, (_, i) =>
      i % 10 === 0 ? writes[(i / 10) % writes.length]! : reads[i % reads.length]!,
    )
  }
  const requests = { get: gets, create: creates, grouped, mixed }[kind]()
  const titles = {
    get: 'get',
    create: 'create',
    grouped: 'create, grouped',
    mixed: '90 % get, 10 % create',
  }
  return measureBound(
    `bound-${kind}`,
    `bound: Express + node:sqlite, ${titles[kind]}`,
    dataset.records,
    requests,
    measurement,
  )
}

async function measureBound(
  name: string,
  title: string,
  records: number,
  requests: readonly string[],
  { server, generator, connections, seconds, warmupSeconds }: BoundMeasurement,
): Promise<Figure> {
  const load = { port: server.port, requests, connections, seconds, warmupSeconds }
  const { result, rss } = await watchingMemory(server.pid, () => generator.run(load))
  const { perSecond, p50, p99, errors } = result
  return { name, title, records, connections, perSecond, p50, p99, errors, rss, notes: notesOf(result) }
}
