/**
 * `node scripts/identity/login-flood.ts [--seconds 20] [--rate 200]`: what other requests notice of a flood of logins.
 * First without one, then of one sender (its limits answer), then of as many senders, accounts and companies as there are
 * logins, so that no limit holds and only the bound on hashing does. Exit code 1 when the p99 of the other requests
 * passes 200 ms.
 *
 * Requests are sent at fixed times, whether the ones before are answered or not, and their time counts from then: a service
 * that stands still is not spared what would have come meanwhile.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { latencyHistogram } from '../../bench/load/histogram.ts'
import { httpClient, type HttpRequest } from '../../test/faults/ledger/http-client.ts'
import { startMain } from '../../test/system/support/main-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { seconds, rate } = numbersFromArguments({ seconds: 20, rate: 200 })
/** A second: gets, lists, creates in turn. */
const OTHERS = 100
const GOAL_MS = 200
const TOKEN = 'token-of-a-login-flood'
/** As the proxy says it, which the service trusts. */
const HTTPS = { 'X-Forwarded-Proto': 'https' }

const folder = mkdtempSync(join(tmpdir(), 'daybook-flood-'))
const service = await startMain({
  DATA_DIR: folder,
  BOOTSTRAP_TOKEN: TOKEN,
  RATE_LIMIT_PER_MINUTE: '0',
  TRUST_PROXY: 'loopback',
})
const others = httpClient({ url: service.url, token: TOKEN })
const flood = httpClient({ url: service.url, token: '' })
try {
  await main()
} finally {
  others.close()
  flood.close()
  await service.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const created = await others.send(create(0))
  const { Data } = JSON.parse(created?.text ?? '{}') as { readonly Data?: { readonly Id: string } }
  if (!Data) throw new Error(`no tenant was created: ${created?.text}`)
  const path = `/api/v1/tenant/${Data.Id}`
  const list = '/api/v1/tenant?pageSize=25'
  const work = (n: number): HttpRequest =>
    n % 3 === 2 ? create(n) : { method: 'GET', path: n % 3 === 0 ? path : list, headers: HTTPS }
  console.log(`${OTHERS} other requests a second, ${seconds} s each:\n`)
  await phase('without a flood', work, undefined)
  const worst = [
    await phase(`${rate} logins/s of one sender`, work, () =>
      login('192.0.2.1', 'a@example.com', 'company-x'),
    ),
    await phase(`${rate} logins/s of as many senders`, work, (n) =>
      login(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, `${randomUUID()}@example.com`, newCompany(n)),
    ),
  ]
  if (Math.max(...worst) <= GOAL_MS) return
  console.log(`MORE THAN ${GOAL_MS} ms`)
  process.exitCode = 1
}

/** The p99 of the other requests, in ms. */
async function phase(
  name: string,
  work: (n: number) => HttpRequest,
  attack: ((n: number) => HttpRequest) | undefined,
): Promise<number> {
  const latencies = latencyHistogram()
  const answers = new Map<string, number>()
  let failed = 0
  const other = async (n: number, due: number) => {
    const answer = await others.send(work(n))
    latencies.record(performance.now() - due)
    if (!answer || answer.status > 299) failed++
  }
  const login = async (n: number) => {
    const status = String((await flood.send(attack!(n)))?.status ?? 'none')
    answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  await Promise.all([atRate(OTHERS, other), ...(attack ? [atRate(rate, login)] : [])])
  const [p50, p99] = [latencies.percentile(0.5), latencies.percentile(0.99)]
  const told = [...answers].sort().map(([status, count]) => `${count} × ${status}`)
  console.log(`${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} failed`)
  if (told.length > 0) console.log(`    logins: ${told.join(', ')}`)
  if (failed > 0) throw new Error('other requests have failed')
  return p99
}

/** Begins so many a second, and waits for all of them. */
async function atRate(perSecond: number, begin: (n: number, due: number) => Promise<void>): Promise<void> {
  const start = performance.now()
  const under: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = start + (n * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    under.push(begin(n, due))
  }
  await Promise.all(under)
}

function create(n: number): HttpRequest {
  return { method: 'POST', path: '/api/v1/tenant', headers: HTTPS, body: { Name: `Tenant ${n}` } }
}

function login(address: string, Email: string, CompanyKey: string): HttpRequest {
  const body = { Email, Password: 'not the password', CompanyKey }
  const headers = { ...HTTPS, 'X-Forwarded-For': address, Authorization: '' }
  return { method: 'POST', path: '/api/v1/identity/login', headers, body }
}

/** The Key of a company that nobody has. */
function newCompany(n: number): string {
  return `company-${String(n).padStart(26, '0')}`
}
