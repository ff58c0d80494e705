/**
 * `node scripts/faults/lost-answers.ts [--count 1000] [--seed n]`: breaks the connection of each request before its
 * answer is read and sends it again. Exit code 1 when one was done twice, not at all, or answered differently.
 */
import { checkStore } from '../../test/faults/ledger/check-store.ts'
import { openLedger } from '../../test/faults/ledger/ledger.ts'
import { lostAnswers } from '../../test/faults/lost-answers.ts'
import { seededRandom } from '../../test/support/random.ts'
import { startService, withFolder } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from './arguments.ts'
import { openedPositions } from '../../test/support/opened-positions.ts'

const { count, seed } = numbersFromArguments({ count: 1_000, seed: Date.now() % 1_000_000 })
console.log(`${count} requests, seed ${seed}`)
await withFolder(async (dataDir) => {
  const ledger = openLedger(openedPositions(dataDir))
  const service = await startService({ dataDir })
  const report = await lostAnswers({ service, ledger, random: seededRandom(seed), count })
  const check = await checkStore({ service, dataDir, entries: ledger.entries })
  await service.end('SIGTERM')
  const faults = [...report.faults, ...check.faults]
  for (const fault of faults.slice(0, 50)) console.log(`FAULT ${fault}`)
  console.log(`${report.doneBefore} were done before they were sent again; ${faults.length} faults`)
  if (faults.length > 0) process.exitCode = 1
})
