/**
 * `node scripts/faults/cut-clients.ts [--records 10000] [--at-once 100]`: a client creates records through a proxy that cuts
 * connections before, within and after answers, keeps answers back, and answers 429 and 500 by itself: each is there once. Then it iterates them while others create, change and
 * delete: exactly those of the first moment come.
 */
import { testService } from '../../test/support/service.ts'
import { createThroughCuts, iterateBesideChanges } from '../../test/clients/through-cuts.ts'
import { numbersFromArguments } from './arguments.ts'

const { records, 'at-once': atOnce } = numbersFromArguments({ records: 10_000, 'at-once': 100 })
const service = await testService()
const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
try {
  const created = performance.now()
  const { before, within, after, held, busy, broken } = await createThroughCuts(service, { records, atOnce })
  console.log(`${records} creates, ${records} records, in ${seconds(created)} s`)
  console.log(`cut: ${before} before the service, ${within} within the answer, ${after} after it`)
  console.log(`answers: ${held} kept back, ${busy} times 429, ${broken} times 500`)
  const iterated = performance.now()
  const { records: seen, changes } = await iterateBesideChanges(service)
  console.log(
    `${seen} iterated, exactly those of the first moment, beside ${changes} changes, in ${seconds(iterated)} s`,
  )
} finally {
  await service.discard()
}
