/**
 * `node scripts/load/batches.ts [--batches 8] [--megabytes 10] [--at-once 1] [--principals 1]`: sends batches as large as
 * they may be and shows how long the event loop of the service was blocked meanwhile, how long a small get waited, and
 * how much memory it took. Batches that are refused because too much is under way are sent again until they are taken.
 * Exit code 1 when a goal is missed: p99 of the event loop 50 ms and at most 200 ms; 100 MB for a batch alone, 600 MB for
 * any number at once.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startService, withFolder, type ServiceProcess } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { loopDelay } from './event-loop.ts'

const ROWS = 500
const GOAL = { p99: 50, max: 200, alone: 100, atOnce: 600 }
const LOOK_MS = 20
const WARM_UP = 8

const {
  batches,
  megabytes,
  'at-once': atOnce,
  principals,
} = numbersFromArguments({ batches: 8, megabytes: 10, 'at-once': 1, principals: 1 })
const rowBytes = Math.floor((megabytes * 1_048_576 - 10_000) / ROWS)

await withFolder(async (dataDir) => {
  const service = await startService({ dataDir })
  const sender = await batchSender(service)
  const waits: number[] = []
  let over = false
  const small = async (most = Infinity) => {
    for (let i = 0; i < most && !over; i++) {
      const start = performance.now()
      const headers = { Authorization: `Bearer ${service.token}` }
      await (await fetch(`${service.url}/api/v1/tenant?pageSize=1`, { headers })).text()
      waits.push(performance.now() - start)
    }
  }

  // By then code is compiled, and the caches of the stores are as large as they get.
  for (let batch = 1; batch <= WARM_UP; batch++) await sender.send(-batch)
  await loopDelay(service.url)
  await small(500)
  const before = await loopDelay(service.url)
  const atRest = residentOf(service.pid)
  let most = 0
  const looking = setInterval(() => (most = Math.max(most, residentOf(service.pid))), LOOK_MS)
  const asking = small()
  waits.length = 0
  const start = performance.now()
  for (let batch = 0; batch < batches; batch += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, i) => sender.send(batch + i)))
  const seconds = (performance.now() - start) / 1_000
  over = true
  clearInterval(looking)
  await asking
  const { p99, max } = await loopDelay(service.url)
  waits.sort((one, other) => one - other)
  const wait = (part: number) => waits[Math.floor(waits.length * part)]?.toFixed(0)
  console.log(
    `Small gets alone: event loop p99 ${before.p99.toFixed(0)} ms, max ${before.max.toFixed(0)} ms (what the machine itself costs)`,
  )
  console.log(
    `${batches} batches of ${megabytes} MB, ${atOnce} at once, in ${seconds.toFixed(1)} s. Event loop: p99 ${p99.toFixed(0)} ms, ` +
      `max ${max.toFixed(0)} ms. A list of one beside them (${waits.length}): p50 ${wait(0.5)}, p99 ${wait(0.99)}, max ${waits.at(-1)?.toFixed(0)} ms`,
  )
  const took = most - atRest
  console.log(
    `Memory: ${atRest.toFixed(0)} MB at rest, at most ${took.toFixed(0)} MB more; ` +
      `refused for now: ${sender.refused()} times. ${residentOf(service.pid).toFixed(0)} MB afterwards`,
  )
  const allowed = atOnce === 1 ? GOAL.alone : GOAL.atOnce
  if (p99 > GOAL.p99 || max > GOAL.max || took > allowed) process.exitCode = 1
})

/** Sends batches, in turn for each of the principals; one that is refused for now is sent again. */
async function batchSender({ url, token }: ServiceProcess) {
  const post = (path: string, body: string, by = token) =>
    fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' },
      body,
    })
  const tokens = await Promise.all(
    Array.from({ length: principals }, async (_, i) => {
      const made = await post(
        'identity/tokens',
        JSON.stringify({ Name: `load ${i}`, Roles: ['system_admin'] }),
      )
      return ((await made.json()) as { Data: { Token: string } }).Data.Token
    }),
  )
  let refused = 0
  const send = async (batch: number): Promise<void> => {
    const response = await post('document/batch', bodyOf(batch), tokens[Math.abs(batch) % principals])
    if (response.status === 429 || response.status === 503) {
      refused++
      await response.text()
      await delay(500)
      return send(batch)
    }
    const answer = (await response.json()) as { Data?: { Status: number }[] }
    const created = answer.Data?.filter(({ Status }) => Status === 201).length ?? 0
    if (created !== ROWS) throw new Error(`${response.status}: ${created} of ${ROWS} created`)
  }
  return { send, refused: () => refused }
}

function bodyOf(batch: number): string {
  const words = 'the quick brown fox jumps over the lazy dog '
  return JSON.stringify({
    Records: Array.from({ length: ROWS }, (_, row) => ({
      Title: `Document ${batch}-${row}`,
      Description: words.repeat(Math.ceil(rowBytes / words.length)).slice(0, rowBytes - 60),
    })),
  })
}

/** Memory of a process in MB, without pages of files: those the system takes back when it needs them. */
function residentOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
