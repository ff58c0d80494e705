/**
 * `node scripts/faults/syncs.ts [--rounds 100] [--records 1000]`: kills the service while an integration polls and sends. Exit code 1,
 * with the data folder left for inspection, when something was lost or is there twice.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { syncRounds } from '../../test/faults/sync-rounds.ts'
import { numbersFromArguments } from './arguments.ts'

const { rounds, records } = numbersFromArguments({ rounds: 100, records: 1_000 })
const folder = mkdtempSync(join(tmpdir(), 'daybook-syncs-'))
console.log(`${rounds} kills while ${records} records are polled and ${2 * records} are sent, in ${folder}`)
const { faults, repeats, seconds } = await syncRounds({
  dataDir: join(folder, 'data'),
  definitionsDir: join(folder, 'definitions'),
  records,
  kills: rounds,
  patienceMs: 600_000,
  onRound: (line) => console.log(line),
})
for (const fault of faults) console.log(`FAULT ${fault}`)
console.log(
  `${faults.length === 0 ? '0 lost, 0 doubled' : 'broken'}; ${repeats} requests were made again, in ${Math.round(seconds)} s`,
)
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
else process.exitCode = 1
