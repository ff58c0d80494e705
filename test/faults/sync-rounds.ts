/**
 * An integration polls and sends, and the service is killed in between, again and again: what is there to be polled must be here once,
 * and what is here must be at the other system once, by the key of a request as by asking first.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { apiOf } from '../../scripts/webhooks/api.ts'
import type { Fields } from '../../src/domain/json.ts'
import { LOOPBACK, partner, type Asked, type Reply } from '../integrations/support/partner.ts'
import { startService } from './ledger/service-process.ts'

export interface SyncRounds {
  readonly dataDir: string
  /** Holds the file of the integration. */
  readonly definitionsDir: string
  /** So many records are polled, and as many are sent by each of two ways. */
  readonly records: number
  readonly kills: number
  /** Longest to wait for the end, in ms. */
  readonly patienceMs: number
  readonly onRound?: (line: string) => void
}

export interface SyncReport {
  readonly faults: readonly string[]
  /** Requests that were made again, of which the other system had done the first. */
  readonly repeats: number
  readonly seconds: number
}

const PAGE = 10

const send = (object: string, body: object, more: object) => ({
  name: object,
  object,
  on: [`${object}.created`],
  request: { method: 'POST', path: `/${object}`, body: { object: body } },
  answer: { link: 'id' },
  ...more,
})

const FILE = {
  integration: 'desk',
  scenario: 'other',
  title: 'Desk',
  description: 'Requests come in by a poll; tenants and leads go out.',
  receive: [
    {
      name: 'requests',
      verify: [{ polled: true }],
      at: { iso: 'changed' },
      map: [{ object: 'servicerequest', link: 'id', set: { Subject: 'title' } }],
    },
  ],
  poll: [
    {
      name: 'requests',
      every: 60,
      request: { method: 'GET', path: '/requests' },
      items: 'items',
      page: { offset: 'from' },
      since: { from: { iso: 'changed' }, send: { parameter: 'since' }, as: 'iso', overlap: 60 },
      as: 'requests',
    },
  ],
  send: [
    send('tenant', { name: 'Name' }, { idempotency: { header: 'Idempotency-Key' } }),
    send(
      'lead',
      { name: 'Name' },
      {
        find: {
          request: { method: 'GET', path: '/lead', query: { name: 'Name' } },
          items: 'items',
          id: 'id',
        },
      },
    ),
  ],
}

export async function syncRounds(options: SyncRounds): Promise<SyncReport> {
  const { dataDir, definitionsDir, records, kills, patienceMs, onRound = () => {} } = options
  const began = performance.now()
  mkdirSync(join(definitionsDir, 'integrations'), { recursive: true })
  writeFileSync(join(definitionsDir, 'integrations', 'desk.json'), JSON.stringify(FILE))
  const desk = deskPartner()
  const other = await partner(desk.answer)
  const settings = {
    ...LOOPBACK,
    DEFINITIONS_DIR: definitionsDir,
    WEBHOOK_SCHEDULE: `0s${',1s'.repeat(19)}`,
  }
  const start = () => startService({ dataDir, settings })
  try {
    let service = await start()
    const made = await apiOf(service).send('POST', 'integrations', {
      Definition: 'desk',
      BaseUrl: other.url,
    })
    const integration = (made['Data'] as Fields)['Id'] as string
    await apiOf(service).send('POST', `integrations/${integration}/start`, {})

    let count = 0
    for (let round = 0; round <= kills; round++) {
      const share = Math.floor(((round + 1) * records) / (kills + 1)) - count
      const Records = Array.from({ length: share }, (_, n) => ({ Name: `Number ${count + n}` }))
      for (let n = 0; n < share; n++) desk.add(count + n)
      if (share > 0)
        for (const object of ['tenant', 'lead'])
          await apiOf(service).send('POST', `${object}/batch`, { Records })
      count += share
      if (round === kills) break
      await delay(100 + ((round * 137) % 700))
      await service.end('SIGKILL')
      service = await start()
      onRound(`kill ${round + 1}: ${desk.kept.tenant.length} and ${desk.kept.lead.length} of ${count}`)
    }

    // After a start each poll is due at once.
    await service.end('SIGTERM')
    service = await start()
    const total = async (path: string) => {
      const separator = path.includes('?') ? '&' : '?'
      const list = await apiOf(service).send('GET', `${path}${separator}pageSize=1`)
      return (list['Pagination'] as Fields)['TotalRecords'] as number
    }
    const isDone = async () =>
      (await total(`integrations/${integration}/sent?state=sent`)) === 2 * records &&
      (await total('servicerequest')) >= records
    const end = performance.now() + patienceMs
    while (!(await isDone()) && performance.now() < end) await delay(250)
    const faults = [
      ...missingOf('tenant', desk.kept.tenant, records),
      ...missingOf('lead', desk.kept.lead, records),
    ]
    const [came, sent] = [
      await total('servicerequest'),
      await total(`integrations/${integration}/sent?state=sent`),
    ]
    if (came !== records) faults.push(`${came} requests are here, of ${records} there`)
    if (sent !== 2 * records) faults.push(`${sent} are said to be sent, of ${2 * records}`)
    await service.end('SIGTERM')
    return { faults, repeats: desk.repeats(), seconds: (performance.now() - began) / 1_000 }
  } finally {
    await other.stop()
  }
}

/** Keeps what is sent by its keys, or as it comes, and shows its requests in pages. Each answer takes a moment. */
function deskPartner() {
  const kept = { tenant: [] as string[], lead: [] as string[] }
  const keys = new Map<string, string>()
  const items: Fields[] = []
  let repeats = 0
  return {
    kept,
    repeats: () => repeats,
    add: (number: number) =>
      void items.push({
        id: `r${number}`,
        title: `Request ${number}`,
        changed: new Date().toISOString(),
      }),
    async answer({ method, path, query, headers, body }: Asked): Promise<Reply> {
      const all = path === '/tenant' ? kept.tenant : kept.lead
      const key = headers['idempotency-key'] as string | undefined
      let reply: Reply
      if (path === '/requests') {
        const from = Number(query.get('from') ?? 0)
        const since = query.get('since') ?? ''
        const found = items.filter(({ changed }) => (changed as string) >= since)
        reply = { json: { items: found.slice(from, from + PAGE) } }
      } else if (method === 'GET') {
        const found = all.flatMap((name, index) => (name === query.get('name') ? [{ id: `n${index}` }] : []))
        if (found.length > 0) repeats++
        reply = { json: { items: found } }
      } else if (key !== undefined && keys.has(key)) {
        repeats++
        reply = { json: { id: keys.get(key)! } }
      } else {
        const id = `n${all.length}`
        all.push((JSON.parse(body) as { readonly name: string }).name)
        if (key !== undefined) keys.set(key, id)
        reply = { status: 201, json: { id } }
      }
      // It is done; the answer comes a moment later.
      await delay(5)
      return reply
    },
  }
}

function missingOf(object: string, names: readonly string[], records: number): string[] {
  const faults: string[] = []
  const different = new Set(names)
  if (names.length !== different.size)
    faults.push(`${names.length - different.size} of ${object} are doubled`)
  if (different.size !== records) faults.push(`${different.size} of ${object} are there, of ${records}`)
  return faults
}
