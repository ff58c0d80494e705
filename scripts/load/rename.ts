/**
 * `node scripts/load/rename.ts [--contracts 100000]` (issue: no request stalls): one tenant with so many contracts is
 * given another name. Tells what others have to wait meanwhile, and how long until every contract shows the new name.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { contractBody } from '../demo/company.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { besides } from '../../bench/bystander.ts'
import { loopDelay } from './event-loop.ts'
import { withFilledService, type FilledService } from './filled-service.ts'
import { judge } from './judged.ts'

const { contracts } = numbersFromArguments({ contracts: 100_000 })
const BATCH = 500
/** Seldom: each look counts all of them. */
const LOOK_MS = 1_000
/** Who waits longer than this has been stalled. */
const GOAL_MS = 100

await withFilledService(1_000, async (service) => {
  const { url, ask, dataset } = service
  const tenant = dataset.tenants[0]!
  await giveContracts(service, tenant)
  const showing = (name: string) => countOf(service, `Tenant/Name eq '${name}' and Tenant eq '${tenant}'`)
  const total = await countOf(service, `Tenant eq '${tenant}'`)

  // What it costs to be here at all, on this machine at this time.
  await loopDelay(url)
  const { waits: alone } = await besides(service, () => delay(3_000))
  const before = await loopDelay(url)
  await service.held()

  const { result, waits } = await besides(service, async () => {
    const name = 'Renée Nouvel-Étage'
    const begun = performance.now()
    const answer = await ask('PATCH', `tenant/${tenant}`, { Name: name })
    if (!answer.ok) throw new Error(`the tenant was not renamed: ${answer.status} ${await answer.text()}`)
    const answeredAfter = performance.now() - begun
    while ((await showing(name)) < total) await delay(LOOK_MS)
    return { answeredAfter, shownAfter: performance.now() - begun }
  })
  const [held, delayed] = [await service.held(), await loopDelay(url)]
  console.log(`${total.toLocaleString('en')} contracts of one tenant, which is renamed:`)
  judge([
    { what: 'before: p99 of requests of others', value: alone.p99, unit: 'ms' },
    { what: 'before: the longest', value: alone.max, unit: 'ms' },
    { what: 'before: event-loop delay p99', value: before.p99, unit: 'ms' },
    { what: 'the rename was answered after', value: result.answeredAfter, unit: 'ms' },
    { what: 'every contract shows the new name after', value: result.shownAfter / 1_000, unit: 's' },
    { what: `requests of others meanwhile (${waits.count}), p50`, value: waits.p50, unit: 'ms' },
    { what: 'p99', value: waits.p99, unit: 'ms', most: GOAL_MS },
    ...Object.entries(waits.kinds).map(([kind, p99]) => ({
      what: `p99 of ${kind}s`,
      value: p99,
      unit: 'ms' as const,
    })),
    { what: 'the longest', value: waits.max, unit: 'ms', most: 5 * GOAL_MS },
    { what: 'that failed', value: waits.failures, unit: '', most: 0 },
    { what: 'the main thread was held, p99', value: held.p99, unit: 'ms', most: 50 },
    { what: 'the longest', value: held.max, unit: 'ms', most: 200 },
    { what: 'event-loop delay p99', value: delayed.p99, unit: 'ms' },
    { what: 'the longest', value: delayed.max, unit: 'ms' },
  ])
})

async function giveContracts({ ask, dataset }: FilledService, tenant: string): Promise<void> {
  const { company, keys } = dataset
  let next = 0
  const give = async () => {
    while (next < contracts) {
      const first = next
      next += BATCH
      const Records = Array.from({ length: Math.min(BATCH, contracts - first) }, (_, i) => ({
        ...contractBody(company, (first + i) % dataset.records, keys),
        Tenant: tenant,
      }))
      const answer = await ask('POST', 'contract/batch', { Records, AllowPastDates: true })
      const text = await answer.text()
      if (!answer.ok || text.includes('"Error"'))
        throw new Error(`not taken: ${/"Error".{0,500}/.exec(text)?.[0] ?? text.slice(0, 500)}`)
    }
  }
  await Promise.all([give(), give(), give(), give()])
}

async function countOf({ ask }: FilledService, filter: string): Promise<number> {
  const answer = await ask('GET', `contract?pageSize=1&filter=${encodeURIComponent(filter)}`)
  const { Pagination } = (await answer.json()) as { Pagination: { TotalRecords: number } }
  return Pagination.TotalRecords
}
