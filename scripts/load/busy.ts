/**
 * `node scripts/load/busy.ts [--contracts 50000]` (quality L4): how long the event loop is held up while much is done at
 * once: whole tables and the audit sent, batches taken, read models rebuilt. Goal: p99 of 50 ms, at most 200 ms.
 *
 * Judged is how long the service's own thread computed at a stretch. The delay that it measures of its event loop is told
 * beside it: where other programs use the machine, it also tells how long the thread waited for a core.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { contractBody } from '../demo/company.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { besides } from '../../bench/bystander.ts'
import { loopDelay } from './event-loop.ts'
import { withFilledService, type FilledService } from './filled-service.ts'
import { judge } from './judged.ts'

const { contracts } = numbersFromArguments({ contracts: 50_000 })
const GOAL = { p99: 50, max: 200 }
const TABLE = 'warehouse/wh_Leasing_Contract'

await withFilledService(contracts, async (service) => {
  const { url } = service
  await reached(service)
  const tasks: readonly (readonly [string, () => Promise<string>])[] = [
    ['nothing beside small requests', () => delay(3_000).then(() => '3 s')],
    ['a table as CSV', () => received(service, `${TABLE}?format=csv`)],
    ['a table as JSON', () => received(service, `${TABLE}?format=json`)],
    ['a table as Parquet', () => received(service, `${TABLE}?format=parquet`)],
    ['a history table as JSON Lines', () => received(service, `${TABLE}_history?format=jsonl`)],
    ['a snapshot of the warehouse', () => received(service, 'warehouse/snapshot')],
    ['the whole audit', () => received(service, 'audit/export')],
    ['20,000 rows in batches of 500', () => batches(service, 40)],
    ['the records rebuilt', () => rebuilt(service, 'records')],
    ['the warehouse rebuilt', () => rebuilt(service, 'warehouse')],
  ]
  for (const [what, work] of tasks) {
    await Promise.all([loopDelay(url), service.held()])
    const begun = performance.now()
    const { result, waits } = await besides(service, work)
    const seconds = (performance.now() - begun) / 1_000
    const [held, delayed] = await Promise.all([service.held(), loopDelay(url)])
    console.log(`${what} (${result}, ${seconds.toFixed(1)} s):`)
    judge([
      { what: 'the thread was held, p99', value: held.p99, unit: 'ms', most: GOAL.p99 },
      { what: 'the longest', value: held.max, unit: 'ms', most: GOAL.max },
      { what: 'event-loop delay p99', value: delayed.p99, unit: 'ms' },
      { what: 'the longest', value: delayed.max, unit: 'ms' },
      { what: `requests of others (${waits.count}), p99`, value: waits.p99, unit: 'ms' },
      { what: 'that failed', value: waits.failures, unit: '', most: 0 },
    ])
  }
})

async function received({ ask }: FilledService, path: string): Promise<string> {
  const answer = await ask('GET', path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  let bytes = 0
  for await (const chunk of answer.body!) bytes += (chunk as Uint8Array).length
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}

async function batches({ ask, dataset }: FilledService, count: number): Promise<string> {
  const { company, keys } = dataset
  const bodies = Array.from({ length: count }, (_, batch) =>
    JSON.stringify({
      AllowPastDates: true,
      Records: Array.from({ length: 500 }, (_, i) => contractBody(company, batch * 500 + i, keys)),
    }),
  )
  const send = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const answer = await ask('POST', 'contract/batch', body)
      const text = await answer.text()
      if (!answer.ok || text.includes('"Error"')) throw new Error(`not taken: ${text.slice(0, 500)}`)
    }
  }
  await Promise.all([send(), send(), send(), send()])
  return `${count} requests`
}

interface Standing {
  readonly Name: string
  readonly Lag: number
  readonly State: string
}

async function standings({ ask }: FilledService): Promise<readonly Standing[]> {
  return ((await (await ask('GET', 'projections')).json()) as { Data: readonly Standing[] }).Data
}

/** Waits until every projection has caught up. */
async function reached(service: FilledService): Promise<void> {
  while ((await standings(service)).some(({ Lag, State }) => Lag > 0 || State !== 'live')) await delay(200)
}

async function rebuilt(service: FilledService, projection: string): Promise<string> {
  const accepted = await service.ask('POST', `projections/${projection}/rebuild`)
  if (accepted.status !== 202) throw new Error(`no rebuild: ${accepted.status} ${await accepted.text()}`)
  do await delay(200)
  while ((await standings(service)).some(({ State }) => State === 'rebuilding'))
  return `${(await standings(service)).length} projections`
}
