/**
 * Events are made, sent to the zoo, and the service killed in between, again and again (W1): to every receiver that recovers
 * nothing may be missing, and what came twice must have been under way at a kill.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Fields } from '../../src/domain/json.ts'
import { startService } from '../faults/ledger/service-process.ts'
import { apiOf } from '../../scripts/webhooks/api.ts'
import { openZoo, RECOVERING } from './zoo.ts'

export interface ZooRounds {
  readonly dataDir: string
  /** Events in all. */
  readonly events: number
  readonly kills: number
  /** Longest to wait for the end, in ms. */
  readonly patienceMs: number
  readonly onRound?: (line: string) => void
}

export interface ZooReport {
  readonly faults: readonly string[]
  readonly deliveries: number
  readonly duplicates: number
  readonly seconds: number
}

/** Deliveries to one receiver that may be under way when the service is killed. */
const UNDER_WAY = 10

export async function zooRounds({
  dataDir,
  events,
  kills,
  patienceMs,
  onRound = () => {},
}: ZooRounds): Promise<ZooReport> {
  const began = performance.now()
  const zoo = await openZoo()
  const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8', WEBHOOK_SCHEDULE: `0s${',1s'.repeat(19)}` }
  const start = () => startService({ dataDir, settings })
  const faults: string[] = []
  try {
    let service = await start()
    const keys = new Map<string, string>()
    for (const kind of [...RECOVERING, 'gone410'])
      keys.set(kind, await apiOf(service).webhook(zoo.url(kind), ['tenant.created']))

    let made = 0
    for (let round = 0; round <= kills; round++) {
      const share = Math.floor(((round + 1) * events) / (kills + 1)) - made
      made += (await apiOf(service).tenants(share)).length
      if (round === kills) break
      await delay(200 + ((round * 137) % 800))
      await service.end('SIGKILL')
      service = await start()
      onRound(`kill ${round + 1}: ${RECOVERING.map((kind) => zoo.taken(kind).size).join(' ')} of ${made}`)
    }

    const end = performance.now() + patienceMs
    const missing = () => RECOVERING.filter((kind) => zoo.taken(kind).size < events)
    while (missing().length > 0 && performance.now() < end) await delay(100)
    for (const kind of missing()) faults.push(`${kind} has ${zoo.taken(kind).size} of ${events}`)

    let duplicates = 0
    for (const kind of RECOVERING) {
      const twice = [...zoo.taken(kind).values()].reduce((sum, count) => sum + count - 1, 0)
      duplicates += twice
      if (twice > kills * UNDER_WAY)
        faults.push(`${kind} got ${twice} twice, more than were under way at ${kills} kills`)
    }
    if (zoo.redirected() > 0) faults.push(`${zoo.redirected()} redirects were followed`)
    const gone = (await apiOf(service).send('GET', `webhooks/${keys.get('gone410')}`))['Data'] as Fields
    if (gone['IsActive'] !== false) faults.push('the receiver that is gone is still sent to')
    if (zoo.requests('gone410') > UNDER_WAY)
      faults.push(`the one that is gone got ${zoo.requests('gone410')} requests`)
    await service.end('SIGTERM')
    const seconds = (performance.now() - began) / 1_000
    return { faults, deliveries: events * RECOVERING.length, duplicates, seconds }
  } finally {
    await zoo.close()
  }
}
