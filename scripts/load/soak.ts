/**
 * `node scripts/load/soak.ts [--minutes 120] [--clients 8] [--pause 5]` (quality L8): gets, lists, searches, creates, changes
 * and exports for so long, each client resting `pause` ms between requests, and a webhook that is sent every change. A line a
 * minute says what the service takes and how long its answers take.
 *
 * Goal: nothing grows but the store. Judged is the median of the last fifth of the run against that of the second fifth; a tenth
 * more is let pass.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '../../bench/ask.ts'
import { newContract, type Dataset } from '../../bench/dataset.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { withFilledService } from './filled-service.ts'
import { judge } from './judged.ts'
import { standingOf, type Standing } from './standing.ts'

const { minutes, clients, pause } = numbersFromArguments({ minutes: 120, clients: 8, pause: 5 })
const CONTRACTS = 10_000
/** A whole table, or the audit, is asked for this seldom. */
const EXPORT_EVERY = 2_000
const DELIVERED_WITHIN_MS = 60_000

interface Minute extends Standing {
  readonly p99: number
}

await withFilledService(
  CONTRACTS,
  async ({ ask, dataset, pid, dataDir }) => {
    const receiver = await subscribed(ask)
    const end = performance.now() + minutes * 60_000
    let asked = 0
    let written = 0
    let failures = 0
    let times: number[] = []

    const use = async () => {
      while (performance.now() < end) {
        const began = performance.now()
        const next = requestOf(++asked, dataset)
        if (next.body !== undefined) written++
        const answer = await ask(next.method, next.path, next.body)
        for await (const chunk of answer.body ?? []) void chunk
        times.push(performance.now() - began)
        if (!answer.ok) failures++
        await delay(pause)
      }
    }
    const seen: Minute[] = []
    const look = async () => {
      while (performance.now() < end) {
        await delay(Math.min(60_000, end - performance.now()))
        const minute = { ...standingOf(pid, dataDir), p99: at(times, 0.99) }
        times = []
        seen.push(minute)
        const { resident, anonymous, descriptors, folder, logs, p99 } = minute
        console.log(
          `  minute ${seen.length}: ${resident} MB resident, ${anonymous} anonymous, ${descriptors} descriptors, ` +
            `${folder} MB on disk, ${logs} of it logs, p99 ${p99.toFixed(1)} ms, ${asked} asked, ${receiver.taken()} of ${written} delivered`,
        )
      }
    }
    await Promise.all([look(), ...Array.from({ length: clients }, use)])
    await receiver.whole(written)
    receiver.close()
    console.log(
      `${minutes} minutes, ${asked.toLocaleString('en')} requests, ${written.toLocaleString('en')} writes:`,
    )
    judge([
      { what: 'answers that were not 2xx', value: failures, unit: '', most: 0 },
      { what: 'writes that were not delivered', value: written - receiver.taken(), unit: '', most: 0 },
      ...grown(
        'anonymous memory',
        'MB',
        seen.map(({ anonymous }) => anonymous),
      ),
      ...grown(
        'resident memory',
        'MB',
        seen.map(({ resident }) => resident),
      ),
      ...grown(
        'descriptors',
        '',
        seen.map(({ descriptors }) => descriptors),
      ),
      { what: 'logs of databases, at most', value: Math.max(...seen.map(({ logs }) => logs)), unit: 'MB' },
      {
        what: 'p99 of a minute, median',
        value: at(
          seen.map(({ p99 }) => p99),
          0.5,
        ),
        unit: 'ms',
      },
      { what: 'p99 of a minute, worst', value: Math.max(...seen.map(({ p99 }) => p99)), unit: 'ms' },
    ])
  },
  { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32' },
)

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** The n-th request: a tenth creates, a tenth changes, the others read. */
function requestOf(n: number, dataset: Dataset): Request {
  const get = (path: string) => ({ method: 'GET', path })
  const key = dataset.contracts[(n * 7_919) % dataset.contracts.length]!
  if (n % EXPORT_EVERY === 0) return get('warehouse/wh_Leasing_Contract?format=csv')
  if (n % EXPORT_EVERY === EXPORT_EVERY / 2) return get('audit/export')
  if (n % 10 === 0) return { method: 'POST', path: 'contract', body: newContract(dataset, n) }
  if (n % 10 === 1) return { method: 'PATCH', path: `contract/${key}`, body: { Notes: `change ${n}` } }
  if (n % 10 === 2) return get(`contract?search=${encodeURIComponent(`a${n % 50}`)}`)
  if (n % 10 === 3) return get(`contract?filter=${encodeURIComponent(`MonthlyRent gt ${n % 2_000}`)}`)
  return get(n % 2 === 0 ? `contract/${key}` : `contract?page=${1 + (n % 200)}`)
}

/** A receiver of webhooks that takes every change of a contract. */
async function subscribed(ask: Ask) {
  let taken = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken++
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answer = await ask('POST', 'webhooks', {
    Url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    Events: ['contract.created', 'contract.updated'],
    Secret: 'a-secret-of-the-soak-test',
  })
  if (!answer.ok) throw new Error(`no webhook: ${await answer.text()}`)
  return {
    taken: () => taken,
    /** Waits for so many deliveries, but not for ever. */
    async whole(count: number) {
      const until = performance.now() + DELIVERED_WITHIN_MS
      while (taken < count && performance.now() < until) await delay(100)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The second fifth of the run beside the last. */
function grown(what: string, unit: 'MB' | '', samples: readonly number[]) {
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  const early = at(samples.slice(fifth, 2 * fifth), 0.5)
  const late = at(samples.slice(-fifth), 0.5)
  return [
    { what: `${what} in the second fifth, median`, value: early, unit },
    { what: `${what} in the last fifth`, value: late, unit, most: Math.round(early * 1.1) },
  ]
}

/** What so large a part of the values are at most. */
function at(values: readonly number[], part: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * part)] ?? NaN
}
