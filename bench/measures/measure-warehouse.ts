/**
 * The warehouse of a filled store: how fast a whole table is exported in each format, what that takes of memory and of
 * those who use the service meanwhile, and how long questions in SQL take.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Dataset } from '../dataset.ts'
import type { Fact, Figure, Results } from '../figures.ts'
import { latencyHistogram } from '../load/histogram.ts'
import { memoryOf, watchingMemory } from './memory.ts'
import { access } from '../requests.ts'
import { startDaybook, type RunningServer } from '../servers.ts'

const TABLE = 'wh_Leasing_Contract'
const FORMATS = ['csv', 'jsonl', 'json', 'parquet'] as const
/** One get by Key every so often while an export runs. */
const PAUSE_MS = 10
const TIMES = 5

const QUESTIONS = {
  'a rent roll by building':
    "SELECT Building_Name, MonthlyRent_Currency, count(*), sum(MonthlyRent_Amount) FROM wh_Leasing_Contract WHERE IsDeleted = 0 AND Status = 'Active' GROUP BY 1, 2 ORDER BY 1, 2",
  'contracts that end in 90 days':
    "SELECT ContractNumber, Tenant_Name, EndDate FROM wh_Leasing_Contract WHERE IsDeleted = 0 AND EndDate BETWEEN date('now') AND date('now', '+90 days') ORDER BY EndDate LIMIT 10000",
  'units without a contract':
    'SELECT count(*) FROM wh_Leasing_Unit AS u WHERE NOT EXISTS (SELECT 1 FROM wh_Leasing_Contract AS c WHERE c.Unit = u.Key)',
  'one record by its Key': `SELECT * FROM wh_Leasing_Contract_history WHERE Key = (SELECT max(Key) FROM wh_Leasing_Contract)`,
} as const

/** Starts the service anew on a filled store, so that memory is that of exports and not of what was before. */
export async function measureWarehouse(dataDir: string, dataset: Dataset): Promise<Results> {
  const server = await startDaybook({ dataDir })
  try {
    return await measureOn(server, dataset)
  } finally {
    await server.stop()
  }
}

async function measureOn(server: RunningServer, dataset: Dataset): Promise<Results> {
  const base = `http://127.0.0.1:${server.port}`
  const headers = { Authorization: `Bearer ${access.token}`, 'Content-Type': 'application/json' }
  const ask = (path: string, init: RequestInit = {}) => fetch(`${base}${path}`, { headers, ...init })
  await caughtUp(ask)

  const figures: Figure[] = []
  const rows = await rowsOf(ask)
  for (const format of FORMATS) {
    const gets = latencyHistogram()
    const before = memoryOf(server.pid)?.rss
    await loopDelay(ask) // forgets what was before
    let isOver = false
    let failed = 0
    const use = async () => {
      for (let i = 0; !isOver; i++) {
        const key = dataset.contracts[(i * 7_919) % dataset.contracts.length]!
        const begun = performance.now()
        const answer = await ask(`/api/v1/contract/${key}`)
        await answer.arrayBuffer()
        gets.record(performance.now() - begun)
        if (!answer.ok) failed++
        await delay(PAUSE_MS)
      }
    }
    const using = use()
    const begun = performance.now()
    const { result: bytes, rss } = await watchingMemory(server.pid, async () => {
      const answer = await ask(`/api/v1/warehouse/${TABLE}?format=${format}`)
      if (!answer.ok) throw new Error(`no export: ${answer.status} ${await answer.text()}`)
      let size = 0
      for await (const chunk of answer.body!) size += (chunk as Uint8Array).byteLength
      return size
    })
    const seconds = (performance.now() - begun) / 1_000
    isOver = true
    await using
    const loop = await loopDelay(ask)
    figures.push({
      name: `export-${format}`,
      title: `export of ${rows.toLocaleString('en')} rows as ${format}: rows`,
      records: dataset.records,
      connections: 1,
      perSecond: rows / seconds,
      p50: gets.percentile(0.5),
      p99: gets.percentile(0.99),
      errors: failed,
      rss,
      notes: [
        `${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB; p50 and p99 are those of ${gets.count} gets meanwhile; event-loop delay p99 ${loop.p99.toFixed(1)} ms (goal: 50), at most ${loop.max.toFixed(1)} ms (goal: 200), of which 10 ms are how often it looks`,
        ...(before === undefined ? [] : [`${before} MB resident before`]),
      ],
    })
  }

  const facts: Fact[] = []
  for (const [what, Sql] of Object.entries(QUESTIONS)) {
    const times: number[] = []
    for (let i = 0; i < TIMES; i++) {
      const begun = performance.now()
      const answer = await ask('/api/v1/warehouse/query', { method: 'POST', body: JSON.stringify({ Sql }) })
      const text = await answer.text()
      times.push(performance.now() - begun)
      if (!answer.ok) throw new Error(`no answer to "${what}": ${answer.status} ${text.slice(0, 200)}`)
    }
    const sorted = times.toSorted((one, other) => one - other)
    facts.push({
      name: 'warehouse',
      title: `SQL over ${rows.toLocaleString('en')} rows, ${what}`,
      value: sorted[Math.floor(TIMES / 2)]! / 1_000,
      unit: 's',
      goal: 5,
      notes: [`median of ${TIMES}`, `the first ${(times[0]! / 1_000).toFixed(2)} s`],
    })
  }
  return { figures, facts }
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

interface Named {
  readonly Name: string
  readonly Rows: number
  readonly Position: number
}

async function listed(ask: Ask, path: string): Promise<readonly Named[]> {
  return ((await (await ask(path)).json()) as { Data: readonly Named[] }).Data
}

async function rowsOf(ask: Ask): Promise<number> {
  return (await listed(ask, '/api/v1/warehouse')).find(({ Name }) => Name === TABLE)?.Rows ?? 0
}

/** The warehouse is behind the records after a fill. */
async function caughtUp(ask: Ask): Promise<void> {
  for (;;) {
    const all = await listed(ask, '/api/v1/projections')
    const at = (name: string) => all.find(({ Name }) => Name === name)?.Position ?? 0
    if (at('warehouse') >= at('records')) return
    await delay(500)
  }
}

/** In ms, since it was last asked for. */
async function loopDelay(ask: Ask): Promise<{ readonly p99: number; readonly max: number }> {
  const text = await (await ask('/metrics')).text()
  const value = (quantile: string) => {
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`daybook_event_loop_delay_seconds{quantile="${quantile}"}`))
    return Number(line?.split(' ')[1]) * 1_000
  }
  return { p99: value('0.99'), max: value('1') }
}
