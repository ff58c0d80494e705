/** A rebuild while the service is used a little: how long it takes, and what those who use the service notice of it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Dataset } from './dataset.ts'
import type { Fact } from './figures.ts'
import { latencyHistogram } from './load/histogram.ts'
import { memoryOf } from './memory.ts'
import { TOKEN } from './requests.ts'
import { startDaybook } from './servers.ts'

/** One request of a kind every so often: gets, lists, filters and changes in turn. */
const PAUSE_MS = 10

export async function measureLiveRebuild(dataDir: string, { contracts }: Dataset): Promise<Fact> {
  const server = await startDaybook({ dataDir })
  const ask = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${server.port}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const latencies = latencyHistogram()
  let failures = 0
  let asked = 0
  const use = async () => {
    const key = contracts[(asked * 7_919) % contracts.length]!
    const turn = asked++ % 4
    const begun = performance.now()
    const answer = await (turn === 0
      ? ask('GET', `contract/${key}`)
      : turn === 1
        ? ask('GET', `contract?page=${1 + (asked % 100)}`)
        : turn === 2
          ? ask('GET', `contract?filter=${encodeURIComponent("Status eq 'Active'")}`)
          : ask('PATCH', `contract/${key}`, { Notes: `seen ${asked} times while it was rebuilt` }))
    await answer.arrayBuffer()
    latencies.record(performance.now() - begun)
    if (!answer.ok) failures++
  }

  for (let i = 0; i < 100; i++) await use()
  const events = await head(ask)
  const begun = performance.now()
  const accepted = await ask('POST', 'projections/records/rebuild')
  if (accepted.status !== 202) throw new Error(`no rebuild: ${accepted.status} ${await accepted.text()}`)
  while (await isRebuilding(ask))
    for (let i = 0; i < 50; i++) {
      await use()
      await delay(PAUSE_MS)
    }
  const seconds = (performance.now() - begun) / 1_000
  const peak = memoryOf(server.pid)?.peak
  await server.stop()
  return {
    name: 'rebuild',
    title: `rebuild from ${events.toLocaleString('en')} events while the service is used`,
    value: seconds,
    unit: 's',
    goal: events >= 1_000_000 ? (60 * events) / 1_000_000 : undefined,
    notes: [
      `${latencies.count} requests meanwhile: p50 ${latencies.percentile(0.5).toFixed(1)} ms, p99 ${latencies.percentile(0.99).toFixed(1)} ms (goal: 100)`,
      ...(peak === undefined ? [] : [`at most ${peak} MB resident (goal: 512)`]),
      ...(failures > 0 ? [`failed: ${failures} of them`] : []),
    ],
  }
}

type Ask = (method: string, path: string, body?: object) => Promise<Response>

interface Standing {
  readonly Name: string
  readonly Position: number
  readonly State: string
}

async function projections(ask: Ask): Promise<readonly Standing[]> {
  return ((await (await ask('GET', 'projections')).json()) as { Data: readonly Standing[] }).Data
}

async function isRebuilding(ask: Ask): Promise<boolean> {
  return (await projections(ask)).some(({ State }) => State === 'rebuilding')
}

async function head(ask: Ask): Promise<number> {
  return (await projections(ask)).find(({ Name }) => Name === 'records')?.Position ?? 0
}
