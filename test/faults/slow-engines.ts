/**
 * Makes every engine slow by 2 s under a service that is asked at a steady pace, however slowly it answers (quality D8),
 * and tells what that does to its event loop, its memory and its answers; and, before, what the same pace does without.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startFerretDb } from '../engines/ferretdb/start.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { client, type Client } from '../support/service.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'
import { startService } from './ledger/service-process.ts'

export interface SlowEngines {
  readonly dataDir: string
  readonly seconds: number
  /** Requests begun a second, half of them writes. */
  readonly perSecond: number
}

export interface Phase {
  /** Of the service's event loop, in ms. */
  readonly loopP99: number
  /** Resident memory at its end, in MB. */
  readonly megabytes: number
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The slowest answer, in ms. */
  readonly slowest: number
}

const EACH_WAY_MS = 1_000

export async function slowEngines({ dataDir, seconds, perSecond }: SlowEngines) {
  const stops: (() => Promise<unknown>)[] = []
  const kept = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    stops.push(() => one.stop())
    return one
  }
  try {
    const peer = kept(await startPeer())
    const ferretDb = kept(await startFerretDb())
    const lines = [
      kept(await tcpProxy({ port: peer.port })),
      kept(await tcpProxy({ port: Number(new URL(ferretDb.url).port) })),
    ] as const
    const service = await startService({
      dataDir,
      settings: {
        EVENTSTORE_URL: `esdb://127.0.0.1:${lines[0].port}?tls=false`,
        MONGODB_URL: `mongodb://127.0.0.1:${lines[1].port}/daybook`,
        SECRETS_KEYS,
      },
    })
    stops.push(() => service.end('SIGTERM'))
    const api = client(() => service.url, service.token)
    const phase = async (): Promise<Phase> => {
      await loopP99(api) // begins anew with each scrape
      const answers = await askSteadily(api, seconds, perSecond)
      const statuses: Record<string, number> = {}
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
      return {
        loopP99: await loopP99(api),
        megabytes: megabytesOf(service.pid),
        statuses,
        slowest: Math.max(...answers.map(({ ms }) => ms)),
      }
    }
    const before = await phase()
    for (const line of lines) line.delay(EACH_WAY_MS)
    const slow = await phase()
    for (const line of lines) line.heal()
    return { before, slow, after: await phase() }
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

async function askSteadily(api: Client, seconds: number, perSecond: number) {
  const asked: Promise<{ status: number; ms: number }>[] = []
  for (let i = 0; i < seconds * perSecond; i++) {
    const begin = performance.now()
    const answer =
      i % 2 === 0 ? api.post('tenant', { Name: `Tenant ${i}` }) : api.list('tenant', { pageSize: '1' })
    asked.push(answer.then(({ status }) => ({ status, ms: performance.now() - begin })))
    await delay(1_000 / perSecond)
  }
  return Promise.all(asked)
}

async function loopP99(api: Client): Promise<number> {
  const { text } = await api.get('/metrics')
  return 1_000 * Number(/^daybook_event_loop_delay_seconds\{quantile="0.99"\} (\S+)$/m.exec(text)?.[1])
}

/** Where the system does not tell: NaN. */
function megabytesOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return NaN
  }
}
