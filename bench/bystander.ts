/** Somebody who uses the service a little while others do their worst: what they have to wait, and what fails for them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from './ask.ts'
import type { Dataset } from './dataset.ts'
import { latencyHistogram } from './load/histogram.ts'

/** What somebody uses. */
export interface Used {
  readonly dataset: Pick<Dataset, 'contracts'>
  readonly ask: Ask
}

export interface Waits {
  readonly count: number
  readonly failures: number
  /** In ms. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** p99 of each kind. */
  readonly kinds: Readonly<Record<string, number>>
}

/** One request of a kind every so often. */
const PAUSE_MS = 10
const KINDS = ['get', 'list', 'filter', 'change'] as const

/** Gets, lists, filters and changes in turn, one after the other, until the work is done. */
export async function besides<T>(
  { ask, dataset }: Used,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly waits: Waits }> {
  const { contracts } = dataset
  const latencies = latencyHistogram()
  const ofKind = KINDS.map(() => latencyHistogram())
  let failures = 0
  let max = 0
  let asked = 0
  const one = async () => {
    const key = contracts[(asked * 7_919) % contracts.length]!
    const turn = asked++ % KINDS.length
    const begun = performance.now()
    const answer = await (turn === 0
      ? ask('GET', `contract/${key}`)
      : turn === 1
        ? ask('GET', `contract?page=${1 + (asked % 100)}`)
        : turn === 2
          ? ask('GET', `contract?filter=${encodeURIComponent("Status eq 'Active'")}`)
          : ask('PATCH', `contract/${key}`, { Notes: `seen ${asked} times` }))
    await answer.arrayBuffer()
    const wait = performance.now() - begun
    latencies.record(wait)
    ofKind[turn]!.record(wait)
    max = Math.max(max, wait)
    if (!answer.ok) failures++
  }
  let over = false
  const asking = (async () => {
    while (!over) {
      await one()
      await delay(PAUSE_MS)
    }
  })()
  try {
    const result = await work()
    over = true
    await asking
    const { count } = latencies
    const [p50, p99] = [latencies.percentile(0.5), latencies.percentile(0.99)]
    const kinds = Object.fromEntries(KINDS.map((kind, i) => [kind, ofKind[i]!.percentile(0.99)]))
    return { result, waits: { count, failures, p50, p99, max, kinds } }
  } finally {
    over = true
  }
}
