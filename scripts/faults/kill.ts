/**
 * `node scripts/faults/kill.ts [--rounds 200] [--clients 16] [--seed n]`: kills the service at random moments under
 * mixed load. Exit code 1, with the ledger and the data folder left for inspection, when a promise was broken.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRounds } from '../../test/faults/kill-rounds.ts'
import { saveLedger } from '../../test/faults/ledger/ledger.ts'
import { readyTimes } from '../../test/faults/ledger/statistics.ts'
import { numbersFromArguments } from './arguments.ts'

const { rounds, clients, seed } = numbersFromArguments({
  rounds: 200,
  clients: 16,
  seed: Date.now() % 1_000_000,
})
const folder = mkdtempSync(join(tmpdir(), 'daybook-kill-'))
const dataDir = join(folder, 'data')
console.log(`${rounds} rounds, ${clients} clients, seed ${seed}, in ${dataDir}`)

const report = await killRounds({
  dataDir,
  rounds,
  clients,
  seed,
  verifyEvery: 20,
  onRound: (round, faults) => {
    if (round % 10 === 0 || faults.length > 0) console.log(`round ${round}: ${faults.length} faults`)
  },
})
console.log(`${report.events} events, ${report.acknowledged} writes acknowledged`)
console.log(
  `${report.unanswered} requests cut off; ${report.doneUnanswered} of those never sent again were done`,
)
console.log(readyTimes(report.readyMs))
for (const fault of report.faults.slice(0, 50)) console.log(`FAULT ${fault}`)
if (report.faults.length === 0) {
  rmSync(folder, { recursive: true, force: true })
  console.log('0 lost, 0 duplicate numbers, 0 half-applied, 0 divergence')
} else {
  saveLedger(report.ledger, join(folder, 'ledger.jsonl'))
  console.log(`The ledger is ${join(folder, 'ledger.jsonl')}, the data folder ${dataDir}.`)
  process.exitCode = 1
}
