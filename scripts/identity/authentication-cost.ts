/**
 * `node scripts/identity/authentication-cost.ts [--rounds 60] [--requests 2000]`: what it costs to know who asks. The time
 * that the process computes for a get by Key, by token, by session cookie, and by requests that are let in unasked
 * (`no-authentication.ts`). All take turns, in short rounds: what disturbs one of them disturbs its neighbours too, and of
 * the rounds the median counts. Two kinds are let in alike, so that one sees what chance makes. Exit code 1 when
 * authentication adds more than a tenth.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fill } from '../../bench/dataset.ts'
import { startLoadGenerator } from '../../bench/load/client.ts'
import { coreForLoad } from '../../bench/pinning.ts'
import { access } from '../../bench/requests.ts'
import { startDaybook, type RunningServer } from '../../bench/servers.ts'
import { median } from '../../test/faults/ledger/statistics.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { rounds, requests } = numbersFromArguments({ rounds: 60, requests: 2_000 })
const CONTRACTS = 1_000
const CONNECTIONS = 32
const GOAL = 0.1
/** Until everything that is hot has been compiled. */
const WARM_UP_ROUNDS = 8

const folder = mkdtempSync(join(tmpdir(), 'daybook-authentication-'))
const generator = startLoadGenerator(coreForLoad())
const server = await startDaybook({
  dataDir: join(folder, 'data'),
  preload: join(import.meta.dirname, 'no-authentication.ts'),
})
try {
  await measure()
} finally {
  generator.stop()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const { contracts } = await fill(`http://127.0.0.1:${server.port}`, CONTRACTS, () => {})
  const cookie = await logIn(server)
  const kinds = [
    { name: 'let in unasked', header: '' },
    { name: 'the same once more', header: '' },
    { name: 'unasked, with a cookie of others', header: `Cookie: x${cookie.slice(1)}\r\n` },
    { name: 'token', header: `Authorization: Bearer ${access.token}\r\n` },
    { name: 'session cookie', header: `Cookie: ${cookie}\r\n` },
  ].map((kind) => ({ ...kind, costs: [] as number[] }))

  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++)
    for (let turn = 0; turn < kinds.length; turn++) {
      const { header, costs } = kinds[(turn + round) % kinds.length]!
      const cost = await microsecondsEach(server, gets(contracts, header))
      if (round >= WARM_UP_ROUNDS) costs.push(cost)
    }

  console.log(
    `a get by Key, ${CONNECTIONS} connections, ${rounds} rounds of ${requests.toLocaleString('en')}:\n`,
  )
  const [base, ...others] = kinds
  const spread = (costs: readonly number[]) =>
    `${median(costs).toFixed(1)} µs (${Math.min(...costs).toFixed(1)} to ${Math.max(...costs).toFixed(1)})`
  console.log(`  ${base!.name.padEnd(32)}  ${spread(base!.costs)}`)
  const added = others.map(({ name, costs }) => {
    const share = median(costs.map((cost, round) => cost / base!.costs[round]! - 1))
    console.log(
      `  ${name.padEnd(32)}  ${spread(costs)}, ${(100 * share).toFixed(1)} % more (median of the rounds)`,
    )
    return share
  })
  if (Math.max(...added) <= GOAL) return
  console.log('MORE THAN A TENTH')
  process.exitCode = 1
}

function gets(contracts: readonly string[], header: string): string[] {
  return Array.from(
    { length: requests },
    (_, i) =>
      `GET /api/v1/contract/${contracts[(i * 7) % contracts.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n`,
  )
}

/** Of all threads of the process, a request. @throws Error when one was not answered with 2xx */
async function microsecondsEach({ port, pid }: RunningServer, all: readonly string[]): Promise<number> {
  const before = computed(pid)
  const { errors, answered } = await generator.run({
    port,
    requests: all,
    connections: CONNECTIONS,
    once: true,
  })
  if (errors > 0) throw new Error(`${errors} requests failed`)
  return (computed(pid) - before) / 1_000 / answered
}

/** Nanoseconds that the threads of the process have run, in its own code and in the system's. */
function computed(pid: number): number {
  const ran = (thread: string) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ran(thread), 0)
}

/** The cookie as a browser sends it. */
async function logIn({ port }: RunningServer): Promise<string> {
  const at = `http://127.0.0.1:${port}/api/v1/identity`
  const me = await fetch(`${at}/me`, { headers: { Authorization: `Bearer ${access.token}` } })
  const { Data } = (await me.json()) as { readonly Data: { readonly Company: { readonly Id: string } } }
  const body = {
    Email: 'bench@example.com',
    Password: 'bench-password-0123456789',
    CompanyKey: Data.Company.Id,
  }
  const answer = await fetch(`${at}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const cookie = /^[^;]+/.exec(answer.headers.get('Set-Cookie') ?? '')?.[0]
  if (cookie === undefined) throw new Error(`the login failed: ${await answer.text()}`)
  return cookie
}
