/** A rebuild while the service is used a little: how long it takes, and what those who use the service notice of it. */
import { setTimeout as delay } from 'node:timers/promises'
import { askerOf, type Ask } from '../ask.ts'
import { besides } from '../bystander.ts'
import type { Dataset } from '../dataset.ts'
import type { Fact } from '../figures.ts'
import { memoryOf } from './memory.ts'
import { startDaybook } from '../servers.ts'

const WARM_UP_MS = 1_500
const LOOK_MS = 500

export async function measureLiveRebuild(dataDir: string, dataset: Dataset): Promise<Fact> {
  const server = await startDaybook({ dataDir })
  const ask = askerOf(`http://127.0.0.1:${server.port}`)
  await besides({ ask, dataset }, () => delay(WARM_UP_MS))
  const events = await head(ask)
  const { result: seconds, waits } = await besides({ ask, dataset }, async () => {
    const begun = performance.now()
    const accepted = await ask('POST', 'projections/records/rebuild')
    if (accepted.status !== 202) throw new Error(`no rebuild: ${accepted.status} ${await accepted.text()}`)
    while (await isRebuilding(ask)) await delay(LOOK_MS)
    return (performance.now() - begun) / 1_000
  })
  const peak = memoryOf(server.pid)?.peak
  await server.stop()
  return {
    name: 'rebuild',
    title: `rebuild from ${events.toLocaleString('en')} events while the service is used`,
    value: seconds,
    unit: 's',
    goal: events >= 1_000_000 ? (60 * events) / 1_000_000 : undefined,
    notes: [
      `${waits.count} requests meanwhile: p50 ${waits.p50.toFixed(1)} ms, p99 ${waits.p99.toFixed(1)} ms (goal: 100)`,
      ...(peak === undefined ? [] : [`at most ${peak} MB resident (goal: 512)`]),
      ...(waits.failures > 0 ? [`failed: ${waits.failures} of them`] : []),
    ],
  }
}

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
