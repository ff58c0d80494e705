/** Bulk import: batches of 500 rows, several under way, until all are acknowledged, and until lists show them all. */
import { setTimeout as delay } from 'node:timers/promises'
import { contractBody } from '../../scripts/demo/company.ts'
import { BATCH, BATCHES, type Dataset } from '../dataset.ts'
import type { Figure } from '../figures.ts'
import type { LoadGenerator } from '../load/client.ts'
import { threadTimes, timesEach, toldTimes } from './thread-times.ts'
import { watchingMemory } from './memory.ts'
import { send, access } from '../requests.ts'
import type { RunningServer } from '../servers.ts'

export interface BulkMeasurement {
  readonly server: RunningServer
  readonly generator: LoadGenerator
  readonly dataset: Dataset
  readonly rows: number
}

/** Rows a second that the goals in docs/benchmark-figures.md ask for. */
const GOAL = 30_000

export async function measureBulk({ server, generator, dataset, rows }: BulkMeasurement): Promise<Figure[]> {
  const requests = Array.from({ length: Math.ceil(rows / BATCH) }, (_, batch) => {
    const first = dataset.records + batch * BATCH
    const Records = Array.from({ length: BATCH }, (_, i) =>
      contractBody(dataset.company, first + i, dataset.keys),
    )
    return send('POST', '/api/v1/contract/batch', { Records, AllowPastDates: true })
  })
  const load = { port: server.port, requests, connections: BATCHES, once: true, keepAnswers: true }
  const title = 'bulk import in batches of 500'
  const before = threadTimes(server.pid)
  const { result, rss } = await watchingMemory(server.pid, async () => {
    const loaded = await server.profiling(title, () => generator.run(load))
    const positions = loaded.answers.map(positionIn).filter((position) => position !== undefined)
    await readable(server.port, positions.slice(-2 * BATCHES))
    return { loaded, readableAfter: performance.timeOrigin + performance.now() - loaded.startedAt }
  })
  const { loaded, readableAfter } = result
  const told = toldTimes(timesEach(before, threadTimes(server.pid), rows))
  const stored = loaded.answers.reduce((sum, answer) => sum + answer.split('"Status":201').length - 1, 0)
  const refused = requests.length * BATCH - stored
  const figure = {
    records: dataset.records,
    connections: BATCHES,
    p50: loaded.p50,
    p99: loaded.p99,
    errors: loaded.errors + refused,
    rss,
    goal: dataset.records === 10_000 ? GOAL : undefined,
    notes: [...(told === undefined ? [] : [told]), ...loaded.examples.map((example) => `failed: ${example}`)],
  }
  return [
    {
      ...figure,
      name: 'bulk',
      title: `${title}: rows acknowledged`,
      perSecond: (stored / loaded.elapsed) * 1_000,
    },
    {
      ...figure,
      name: 'bulk-readable',
      title: `${title}: rows that lists show`,
      perSecond: (stored / Math.max(readableAfter, loaded.elapsed)) * 1_000,
    },
  ]
}

function positionIn(answer: string): string | undefined {
  return /^daybook-position: (\S+)/im.exec(answer)?.[1]
}

const LONGEST_MS = 120_000

/** Waits until reads have reached the positions. A store that is still at work may also refuse a list as too slow. */
export async function readable(port: number, positions: readonly string[]): Promise<void> {
  const end = performance.now() + LONGEST_MS
  for (const position of positions) await reached(port, position, end)
}

async function reached(port: number, position: string, end: number): Promise<void> {
  const headers = { Authorization: `Bearer ${access.token}`, 'Daybook-At-Least': position }
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/contract?pageSize=1`, { headers })
    const text = await response.text()
    if (response.ok) return
    const isBusy = response.status === 503 || text.includes('takes longer')
    if (!isBusy || performance.now() > end)
      throw new Error(`a list after the import: ${response.status} ${text}`)
    await delay(100)
  }
}
