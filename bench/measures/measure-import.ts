/** A file of contracts imported: from the commit until all rows are records, and until lists show them. */
import { setTimeout as delay } from 'node:timers/promises'
import { contractBody } from '../../scripts/demo/company.ts'
import type { Dataset } from '../dataset.ts'
import type { Figure } from '../figures.ts'
import { access } from '../requests.ts'
import type { RunningServer } from '../servers.ts'
import { watchingMemory } from './memory.ts'
import { readable } from './measure-bulk.ts'
import { threadTimes, timesEach, toldTimes } from './thread-times.ts'

export interface ImportMeasurement {
  readonly server: RunningServer
  readonly dataset: Dataset
  readonly rows: number
}

/** Rows a second that docs/benchmark-figures.md aims at. */
const GOAL = 16_000
const COLUMNS = ['Tenant', 'Building', 'Unit', 'StartDate', 'Duration', 'LeaseType', 'Status', 'Notes']

interface Imported {
  readonly Id: string
  readonly State: string
  readonly Reason: string | null
  readonly Counts: { readonly Created: number; readonly Failed: number } | null
}

export async function measureImport({ server, dataset, rows }: ImportMeasurement): Promise<Figure> {
  const file = csvOf(dataset, rows)
  const ask = asking(server.port)
  const { Id } = await ask('POST', '/contract/import?allowPastDates=true&again=true', file)
  await until(ask, Id, 'Checked')
  const title = `import of a CSV file with ${rows.toLocaleString('en')} rows, committed`
  const before = threadTimes(server.pid)
  const { result, rss } = await watchingMemory(server.pid, () =>
    server.profiling(title, async () => {
      const began = performance.now()
      await ask('POST', `/imports/${Id}/commit`)
      const whole = await until(ask, Id, 'Completed')
      return { whole, elapsed: performance.now() - began }
    }),
  )
  await readable(server.port, [])
  const created = result.whole.Counts?.Created ?? 0
  const told = toldTimes(timesEach(before, threadTimes(server.pid), created))
  return {
    name: 'import',
    title,
    records: dataset.records,
    connections: 1,
    perSecond: (created / result.elapsed) * 1_000,
    p50: result.elapsed,
    p99: result.elapsed,
    errors: rows - created,
    rss,
    goal: dataset.records === 10_000 ? GOAL : undefined,
    notes: told === undefined ? [] : [told],
  }
}

function csvOf({ company, keys, records }: Dataset, rows: number): string {
  const lines = [[...COLUMNS, 'MonthlyRent.Amount', 'MonthlyRent.Currency'].join()]
  for (let i = 0; i < rows; i++) {
    const body = contractBody(company, records + i, keys)
    const { Amount, Currency } = body['MonthlyRent'] as { Amount: number; Currency: string }
    lines.push([...COLUMNS.map((column) => quoted(body[column])), Amount, Currency].join())
  }
  return `${lines.join('\n')}\n`
}

const quoted = (value: unknown) =>
  typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : typeof value === 'number' ? `${value}` : ''

function asking(port: number) {
  return async (method: 'GET' | 'POST', path: string, body?: string): Promise<Imported> => {
    const headers = { Authorization: `Bearer ${access.token}`, ...(body && { 'Content-Type': 'text/csv' }) }
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return (JSON.parse(text) as { Data: Imported }).Data
  }
}

const ENDED = new Set(['NeedsMapping', 'CompletedWithErrors', 'Cancelled', 'Failed'])

async function until(ask: ReturnType<typeof asking>, key: string, state: string): Promise<Imported> {
  for (;;) {
    const whole = await ask('GET', `/imports/${key}?wait=5`)
    if (whole.State === state) return whole
    if (ENDED.has(whole.State)) throw new Error(`the import is ${whole.State}: ${whole.Reason}`)
    await delay(5)
  }
}
