/**
 * `node scripts/load/soak.ts [--minutes 120] [--clients 8]` (quality L8): gets, lists, searches, creates, changes and
 * exports for so long. Goal: memory is flat. Judged is the median of the last fifth of the run against that of the
 * second fifth; the store grows meanwhile, so a tenth more is let pass.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { newContract } from '../../bench/dataset.ts'
import { memoryOf } from '../../bench/measures/memory.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { withFilledService } from './filled-service.ts'
import { judge } from './judged.ts'

const { minutes, clients } = numbersFromArguments({ minutes: 120, clients: 8 })
const CONTRACTS = 10_000
const SAMPLES = 200
const PAUSE_MS = 5
/** A whole table, or the audit, is asked for this seldom. */
const EXPORT_EVERY = 2_000

await withFilledService(CONTRACTS, async ({ ask, dataset, pid }) => {
  const { contracts } = dataset
  const end = performance.now() + minutes * 60_000
  let asked = 0
  let failures = 0

  const request = (n: number): Promise<Response> => {
    const key = contracts[(n * 7_919) % contracts.length]!
    if (n % EXPORT_EVERY === 0) return ask('GET', 'warehouse/wh_Leasing_Contract?format=csv')
    if (n % EXPORT_EVERY === EXPORT_EVERY / 2) return ask('GET', 'audit/export')
    if (n % 10 === 0) return ask('POST', 'contract', newContract(dataset, n))
    if (n % 10 === 1) return ask('PATCH', `contract/${key}`, { Notes: `change ${n}` })
    if (n % 10 === 2) return ask('GET', `contract?search=${encodeURIComponent(`a${n % 50}`)}`)
    if (n % 10 === 3)
      return ask('GET', `contract?filter=${encodeURIComponent(`MonthlyRent gt ${n % 2_000}`)}`)
    return n % 2 === 0 ? ask('GET', `contract/${key}`) : ask('GET', `contract?page=${1 + (n % 200)}`)
  }
  const use = async () => {
    while (performance.now() < end) {
      const answer = await request(++asked)
      for await (const chunk of answer.body ?? []) void chunk
      if (!answer.ok) failures++
      await delay(PAUSE_MS)
    }
  }
  const samples: number[] = []
  const look = async () => {
    while (performance.now() < end) {
      samples.push(memoryOf(pid)?.rss ?? 0)
      await delay((minutes * 60_000) / SAMPLES)
    }
  }
  await Promise.all([look(), ...Array.from({ length: clients }, use)])

  const fifth = Math.floor(samples.length / 5)
  const [early, late] = [median(samples.slice(fifth, 2 * fifth)), median(samples.slice(-fifth))]
  console.log(`${minutes} minutes, ${asked.toLocaleString('en')} requests:`)
  judge([
    { what: 'answers that were not 2xx', value: failures, unit: '', most: 0 },
    { what: 'resident memory in the second fifth, median', value: early, unit: 'MB' },
    { what: 'in the last fifth', value: late, unit: 'MB', most: Math.round(early * 1.1) },
    { what: 'at most', value: Math.max(...samples), unit: 'MB' },
  ])
})

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? 0
}
