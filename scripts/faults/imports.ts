/**
 * `node scripts/faults/imports.ts [--kills 50] [--seed 1]`: kills the service while files are sent, read, checked, committed and
 * undone, in turn. Exit code 1, with the data folder left for inspection, when a row is there twice or missing.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRounds } from '../../test/faults/import-rounds.ts'
import { numbersFromArguments } from './arguments.ts'

const { kills, seed } = numbersFromArguments({ kills: 50, seed: 1 })
const folder = mkdtempSync(join(tmpdir(), 'daybook-imports-'))
console.log(`${kills} kills, seed ${seed}, in ${folder}`)
const { faults, rows, found } = await importRounds({
  dataDir: join(folder, 'data'),
  kills,
  seed,
  onKill: (kill, own) => {
    if (kill % 10 === 0 || own.length > 0) console.log(`kill ${kill}: ${own.length} faults`)
  },
})
for (const [moment, states] of found) console.log(`${moment}: then ${states.join(', ')}`)
for (const fault of faults) console.log(`FAULT ${fault}`)
if (faults.length === 0) {
  rmSync(folder, { recursive: true, force: true })
  console.log(`${rows} rows, each one record`)
} else {
  console.log(`The data folder is in ${folder}.`)
  process.exitCode = 1
}
